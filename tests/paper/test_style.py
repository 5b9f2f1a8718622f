"""Labels stand beside their curves, numbers of topics keep their colours, and ticks lie apart."""

from paper.style import COLOUR_OF, draw_curves, panels, thin_out


def test_a_curve_that_ends_early_has_its_name_at_its_last_point():
    _, (ax,) = panels(1)
    curves = {
        "one-vs-all": ([5, 20], [[0.70], [0.78]]),
        "multi-task": ([20, 80], [[0.74], [0.75]]),
    }
    draw_curves(ax, curves, x="K", y="accuracy")
    places = {text.get_text(): text for text in ax.texts}
    assert places["one-vs-all"].xy == (20, 0.78)
    assert places["multi-task"].xycoords == "axes fraction"


def test_a_number_of_topics_has_the_same_colour_in_all_figures():
    for names in (["K = 5", "K = 20"], ["K = 20", "K = 40"]):
        _, (ax,) = panels(1)
        draw_curves(ax, {name: ([0, 1], [[0.1], [0.2]]) for name in names}, x="m", y="accuracy")
        colours = {text.get_text(): text.get_color() for text in ax.texts}
        assert colours == {name: COLOUR_OF[name] for name in names}


def test_ticks_whose_numbers_would_touch_are_left_out():
    assert thin_out([0, 1, 5, 10, 20, 40]) == [0, 5, 10, 20, 40]
    assert thin_out([5, 10, 20]) == [5, 10, 20]
