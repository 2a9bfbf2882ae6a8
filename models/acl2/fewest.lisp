;; A theorem about the smallest number of clues, proved with ACL2. It continues binairo.lisp.
;;
;;     If `few-clues-refuted` holds, then any choice of so few clues leaves another solution.
;;
;; A choice of clues is a board with t for each cell whose clue is chosen. The formula says that it
;; has a cell of each difference set: the cells where another solution differs from the known one;
;; and that at most so many cells are chosen. The LRAT checker refutes it, so the choice misses a
;; set. Then this other solution agrees with all chosen clues.

(in-package "LRAT")

; ---- No choice of so few cells hits all sets

(defun all-hit (sets b)
  (if (atom sets) t (and (some-one (car sets) b) (all-hit (cdr sets) b))))

(defthm all-hit-member
  (implies (and (all-hit sets b) (member-equal x sets)) (some-one x b)))

; A clause of the counter must hold for any number of chosen cells up to `most`.
(defun count-totals (c line k most n m)
  (and (count-clause-p c line k most n m)
       (or (zp most) (count-totals c line k (1- most) n m))))

(defthm count-totals-covers
  (implies (and (count-totals c line k most n m) (natp total) (natp most) (<= total most))
           (count-clause-p c line k total n m)))

(defthm counts-hold-of-one
  (counts-hold (list (cons (ones line b) line)) b)
  :hints (("Goal" :in-theory (enable counts-hold))))

(defthm count-totals-true
  (implies (and (count-totals c line k most n m) (natp most) (<= (ones line b) most) (natp n))
           (clause-true c n m b))
  :hints (("Goal" :do-not-induct t
           :use ((:instance count-totals-covers (total (ones line b)))
                 (:instance count-clause-true-for-all
                            (lines (list (cons (ones line b) line))) (total (ones line b))))
           :in-theory (disable count-totals count-totals-covers count-clause-true-for-all))))

(defun fewer-clause-ok (c hint m sets line most n)
  (cond ((equal (nth 0 hint) :hit)
         (and (member-equal (nth 1 hint) sets) (positive-clause-p c (nth 1 hint) n)))
        ((equal (nth 0 hint) :count) (count-totals c line (nth 1 hint) most n m))
        (t nil)))

(defthm fewer-clause-ok-true
  (implies (and (all-hit sets b) (<= (ones line b) most) (natp most) (natp n)
                (fewer-clause-ok c hint m sets line most n))
           (clause-true c n m b))
  :hints (("Goal" :do-not-induct t
           :use ((:instance positive-clause-true (cells (nth 1 hint)))
                 (:instance all-hit-member (x (nth 1 hint)))
                 (:instance count-totals-true (k (nth 1 hint))))
           :in-theory (disable count-totals count-totals-true all-hit-member all-hit))))

(defun fewer-formula-ok (f hints top m sets line most n)
  (if (atom f) t
    (and (in-range (cdr (car f)) top)
         (fewer-clause-ok (cdr (car f)) (cdr (hons-get (car (car f)) hints)) m sets line most n)
         (fewer-formula-ok (cdr f) hints top m sets line most n))))

(defthm fewer-formula-ok-all-true
  (implies (and (all-hit sets b) (<= (ones line b) most) (natp most) (natp n)
                (fewer-formula-ok f hints top m sets line most n))
           (all-true f top n m b))
  :hints (("Goal" :in-theory (disable fewer-clause-ok all-hit))))

(defun hitting-refuted (f proof hints top m sets line most n)
  (and (natp top) (natp n) (natp most) (formula-p f) (refutation-p proof f)
       (fewer-formula-ok f hints top m sets line most n)))

(defthm so-few-cells-miss-a-set
  (implies (and (hitting-refuted f proof hints top m sets line most n) (<= (ones line b) most))
           (not (all-hit sets b)))
  :hints (("Goal" :do-not-induct t
           :in-theory (disable refutation-p formula-p fewer-formula-ok all-true all-hit
                               accepted-implies-not-all-true)
           :use ((:instance accepted-implies-not-all-true (meanings m))))))

; ---- The sets are those where other solutions differ

; The cells of a list where two boards differ.
(defun difference (line one two)
  (cond ((atom line) nil)
        ((iff (nth (car line) one) (nth (car line) two)) (difference (cdr line) one two))
        (t (cons (car line) (difference (cdr line) one two)))))

(defun differences (line others s)
  (if (atom others) nil
    (cons (difference line (car others) s) (differences line (cdr others) s))))

; The chosen clues: the values of the known solution in the chosen cells of a list.
(defun chosen-clues (line b s)
  (cond ((atom line) nil)
        ((nth (car line) b)
         (cons (cons (car line) (if (nth (car line) s) t nil)) (chosen-clues (cdr line) b s)))
        (t (chosen-clues (cdr line) b s))))

(defthm what-is-not-hit-agrees
  (implies (not (some-one (difference line o s) b))
           (clues-hold (chosen-clues line b s) o))
  :hints (("Goal" :in-theory (enable clues-hold))))

(defun with-clues (clues p) (update-nth 2 clues p))

(defthm solutionp-with-clues
  (equal (solutionp o (with-clues clues p))
         (and (clues-hold clues o) (signs-hold (signs p) o) (windows-hold (windows p) o)
              (counts-hold (counts p) o) (halves-hold (halves p) o) (pairs-hold (pairs p) o)))
  :hints (("Goal" :in-theory (enable clues signs windows counts halves pairs nth))))

(defthm size-with-clues
  (equal (size (with-clues clues p)) (size p))
  :hints (("Goal" :in-theory (enable size nth))))

(in-theory (disable with-clues solutionp))

(defun other-solution (others s p)
  (if (atom others) nil
    (or (and (solutionp (car others) p) (boards-differ (car others) s (size p)))
        (other-solution (cdr others) s p))))

(defun all-differ (others s n)
  (if (atom others) t
    (and (boards-differ (car others) s n) (all-differ (cdr others) s n))))

(defthm a-missed-set-leaves-another-solution
  (implies (and (all-solutions others (with-clues nil p)) (all-differ others s (size p))
                (not (all-hit (differences line others s) b)))
           (other-solution others s (with-clues (chosen-clues line b s) p)))
  :hints (("Goal" :induct (differences line others s))))

(defun few-clues-refuted (f proof hints top m others s line most p)
  (and (all-solutions others (with-clues nil p))
       (all-differ others s (size p))
       (hitting-refuted f proof hints top m (differences line others s) line most (size p))))

; Whatever clues are chosen among the cells of `line`, so few of them leave another solution.
(defthm fewer-clues-are-not-enough
  (implies (and (few-clues-refuted f proof hints top m others s line most p)
                (<= (ones line b) most))
           (other-solution others s (with-clues (chosen-clues line b s) p)))
  :hints (("Goal" :do-not-induct t
           :in-theory (disable hitting-refuted all-solutions all-differ other-solution all-hit
                               differences chosen-clues)
           :use ((:instance so-few-cells-miss-a-set
                            (sets (differences line others s)) (n (size p)))))))
