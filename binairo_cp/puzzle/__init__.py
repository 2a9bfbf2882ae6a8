"""Boards, rules, the checker, legal lines and symmetries."""
