"""Background tasks: started, followed, told of once, ended."""
