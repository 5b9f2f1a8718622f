"""The style of the page: light and dark, from telephones to wide screens."""

STYLE = """
:root{--page:#f5f6f8;--card:#fff;--ink:#1d232b;--soft:#5b6673;--line:#dfe3e8;--link:#0b62a8;
--for:#0072B2;--against:#D55E00}
@media (prefers-color-scheme:dark){:root{--page:#14171b;--card:#1e2328;--ink:#e6e9ed;
--soft:#9aa5b1;--line:#333a42;--link:#6cb8f0;--for:#4aa8e0;--against:#f08a4b}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:3.5rem}
body{margin:0;background:var(--page);color:var(--ink);line-height:1.5;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
overflow-wrap:anywhere}
header,main,footer{max-width:72rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.6rem}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .2rem}
header p{margin:0 0 1rem;color:var(--soft)}
h2{font-size:1.2rem;margin:0 0 .6rem}
h3{font-size:1rem;margin:0}
a{color:var(--link)}
.card a{white-space:nowrap}
p{margin:.4rem 0}
nav{position:sticky;top:0;z-index:2;display:flex;gap:.2rem;overflow-x:auto;
background:var(--page);border-bottom:1px solid var(--line);
padding:.4rem max(1rem,calc((100vw - 72rem)/2 + 1rem))}
nav a{white-space:nowrap;text-decoration:none;padding:.25rem .7rem;border-radius:1rem}
nav a:hover{background:var(--card)}
section{background:var(--card);border:1px solid var(--line);border-radius:.7rem;
padding:1.1rem 1.2rem;margin:1rem 0}
footer{color:var(--soft);font-size:.85rem;padding:1rem}
.note{color:var(--soft);font-size:.9rem}
.lead{font-size:1.02rem}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));
gap:.7rem 1.2rem;margin:0}
.facts dt{color:var(--soft);font-size:.85rem}
.facts dd{margin:0;font-weight:500}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-size:.93rem}
th,td{text-align:left;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line);
vertical-align:top;overflow-wrap:normal}
thead th{color:var(--soft);font-weight:500;font-size:.85rem}
tbody th{font-weight:500}
.numbers td{font-variant-numeric:tabular-nums;white-space:nowrap}
.numbers small{color:var(--soft);margin-left:.35em}
table.heat th:first-child{min-width:9rem;position:sticky;left:0;background:var(--card)}
table.heat thead th{max-width:7rem;overflow-wrap:anywhere}
table.heat td{padding:.12rem;border:0}
span.heat{display:block;min-width:4.5rem;padding:.25rem .5rem;border-radius:.3rem;
text-align:right;font-variant-numeric:tabular-nums;background:hsl(var(--h) 70% 50%/var(--a))}
.badge{display:inline-block;padding:.15rem .8rem;border-radius:1rem;font-weight:600;color:#fff}
.badge.good{background:#1a7f4e}.badge.fair{background:#9a6700}.badge.poor{background:#b4321e}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr));
gap:.8rem;align-items:start}
.picture{margin:0;background:#fff;border:1px solid var(--line);border-radius:.5rem;padding:.4rem;
max-width:36rem}
.picture img{display:block;width:100%;height:auto}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:.8rem}
.card{border:1px solid var(--line);border-radius:.6rem;padding:.8rem .9rem}
.dot{display:inline-block;width:.8em;height:.8em;border-radius:.2em;margin-right:.45em;
background:hsl(var(--h) 75% 50%/.75)}
.words span{display:inline-block;padding:0 .4em;margin:.1em 0;border-radius:.3em;
background:hsl(var(--h) 70% 50%/var(--a))}
.bars>div{display:grid;grid-template-columns:var(--names) 1fr 3.2rem;gap:.5rem;
align-items:center;font-size:.88rem}
.bars>div>span:first-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.bars>div>span:last-child{text-align:right;font-variant-numeric:tabular-nums}
.track{position:relative;height:1rem;border-radius:.2rem;background:
linear-gradient(var(--line),var(--line)) 50%/1px 100% no-repeat,hsl(220 15% 50%/.1)}
.track i{position:absolute}
.bar{top:.2rem;height:.6rem;border-radius:.1rem}
.bar.for{background:var(--for)}.bar.against{background:var(--against)}
.line{top:calc(.5rem - 1px);height:2px;background:var(--ink);opacity:.7}
.document{border-top:1px solid var(--line);padding:.45rem 0}
.document summary{cursor:pointer}
.document[open] summary{margin-bottom:.4rem}
.w{cursor:pointer}
.w.marked{outline:2px solid hsl(var(--h) 80% 50%)}
@media (max-width:40rem){h1{font-size:1.35rem}section{padding:.9rem .8rem;border-radius:.5rem}
header,main,footer{padding-left:.6rem;padding-right:.6rem}
.facts{grid-template-columns:repeat(2,minmax(0,1fr))}
th,td{padding-right:.7rem}table{font-size:.88rem}.numbers small{display:block;margin:0}
table.heat th:first-child{min-width:7rem}span.heat{min-width:3.6rem}}
"""
