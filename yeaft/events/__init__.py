"""What happened (events) and what is asked of a Session (ops): closed unions with one codec."""
