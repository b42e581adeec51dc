"""The Model Context Protocol without a wire: what is offered, what a message asks for, and how it is answered."""
