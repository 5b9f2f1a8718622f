"""The command ``pymc-medlda``: fit, predict, report and export from a shell.

May import everything; nothing imports it. It only reads tables, calls the public functions and
writes what they return.
"""
