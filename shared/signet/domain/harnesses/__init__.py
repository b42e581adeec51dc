"""The programs in which agents run: connect, instruct and disconnect them."""
