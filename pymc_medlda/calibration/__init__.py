"""Out-of-fold discriminants: chains that sample without a part of the documents, then predict it.

May import `prediction`, `sampling` and everything below them.

The part that a chain does without, its fold, is removed with words and labels. Hiding the labels
alone is not honest: hidden documents reinforce their own topics. Nor is removing documents from
chains that have seen them.
"""
