"""What a puzzle is: boards, rules, the checker, the legal lines, symmetries."""
