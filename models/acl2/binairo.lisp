;; A theorem about certificates of Binairo puzzles, proved with ACL2.
;;
;;     If `accepted` holds for a puzzle, a board and a formula with its proof, then the puzzle has
;;     no solution other than this board.
;;
;; `solutionp` defines the solutions of a puzzle. `accepted` is a program: it runs the LRAT checker
;; of Heule, Hunt, Kaufmann and Wetzler, and checks each clause of the formula: it must hold for
;; every solution. A hint says why. Hints are not trusted, nor are the meanings of the variables: with
;; wrong ones, `accepted` fails. The last theorem rests on the soundness of the LRAT checker, which
;; is a theorem of its book (main-theorem-list-based).
;;
;; To have ACL2 check all proofs:  echo '(ld "binairo.lisp" :ld-error-action :error)' | acl2
;;
;; A board is a list with t for 1 and nil for 0, row by row, and cells count from 0.

(in-package "ACL2")
(include-book "projects/sat/lrat/list-based/soundness" :dir :system)
(in-package "LRAT")

; ---- The values of the variables: a board gives a value to each

; How many of the cells of a line are 1.
(defun ones (line b)
  (if (atom line) 0 (+ (if (nth (car line) b) 1 0) (ones (cdr line) b))))

(defun take-first (k line)
  (if (or (zp k) (atom line)) nil (cons (car line) (take-first (1- k) (cdr line)))))

; Variables 1 to n are the cells. Further ones mean that at least j of the first k cells of a line
; are 1 (:count line j k), that two cells differ (:differ i j), or that fewer than half of the
; cells of a line are 1 (:spare line).
(defun meaning (v n meanings b)
  (if (<= v n)
      (if (nth (1- v) b) t nil)
    (let ((m (cdr (assoc-equal v meanings))))
      (cond ((equal (car m) :count)
             (<= (nth 2 m) (ones (take-first (nth 3 m) (nth 1 m)) b)))
            ((equal (car m) :spare)
             (< (* 2 (ones (nth 1 m) b)) (len (nth 1 m))))
            ((equal (car m) :differ)
             (not (iff (nth (nth 1 m) b) (nth (nth 2 m) b))))
            (t nil)))))

(defun literal-true (l n meanings b)
  (if (< 0 l) (meaning l n meanings b) (not (meaning (- l) n meanings b))))

(defun clause-true (c n meanings b)
  (if (atom c) nil
    (or (literal-true (car c) n meanings b) (clause-true (cdr c) n meanings b))))

(defun in-range (c top)
  (if (atom c) (null c)
    (and (integerp (car c)) (not (equal (car c) 0))
         (<= (car c) top) (<= (- (car c)) top)
         (in-range (cdr c) top))))

; The assignment, as a list of true literals.
(defun values-of (v n meanings b)
  (if (zp v) nil
    (cons (if (meaning v n meanings b) v (- v)) (values-of (1- v) n meanings b))))

(in-theory (disable meaning))

(defthm member-assign
  (implies (and (integerp l) (not (equal l 0)) (natp v))
           (iff (member-equal l (values-of v n meanings b))
                (and (<= l v) (<= (- l) v) (literal-true l n meanings b)))))

(defthm literal-listp-assign (literal-listp (values-of v n meanings b)))

(defthm unique-assign
  (unique-literalsp (values-of v n meanings b)))

(defthm not-conflicting-assign
  (not (conflicting-literalsp (values-of v n meanings b))))

(defthm clause-or-assignment-p-assign
  (clause-or-assignment-p (values-of v n meanings b))
  :hints (("Goal" :in-theory (enable clause-or-assignment-p))))

(defthm evaluate-literal-assign
  (implies (and (integerp l) (not (equal l 0)) (natp v) (<= l v) (<= (- l) v))
           (equal (evaluate-literal l (values-of v n meanings b))
                  (if (literal-true l n meanings b) t nil))))

(in-theory (disable evaluate-literal literal-true))

(defthm evaluate-clause-assign
  (implies (and (in-range c top) (natp top) (clause-true c n meanings b))
           (equal (evaluate-clause c (values-of top n meanings b)) t)))

; All clauses of a formula are true.
(defun all-true (f top n meanings b)
  (if (atom f) t
    (and (or (deleted-clause-p (cdar f))
             (and (in-range (cdar f) top) (clause-true (cdar f) n meanings b)))
         (all-true (cdr f) top n meanings b))))

(defthm all-true-lookup
  (implies (and (all-true f top n meanings b) (natp top)
                (hons-assoc-equal index f)
                (not (equal (cdr (hons-assoc-equal index f)) :deleted)))
           (equal (evaluate-clause (cdr (hons-assoc-equal index f)) (values-of top n meanings b)) t)))

(defthm all-true-formula-truep
  (implies (and (all-true f top n meanings b) (natp top))
           (formula-truep f (values-of top n meanings b)))
  :hints (("Goal" :in-theory (e/d (formula-truep) (values-of)))))

(defthm accepted-implies-not-all-true
  (implies (and (formula-p f) (refutation-p proof f) (natp top))
           (not (all-true f top n meanings b)))
  :hints (("Goal" :use ((:instance main-theorem-list-based (formula f))
                        (:instance satisfiable-suff (formula f) (assignment (values-of top n meanings b))))
           :in-theory (disable refutation-p main-theorem-list-based values-of))))

(in-theory (enable literal-true meaning))

; ---- The rules
;
; Clues are pairs (cell . value), signs are (cell cell equal), windows are runs of cells that must
; not be all the same, lines with their numbers of ones are (number . cells).

(defun clues-hold (clues b)
  (if (atom clues) t
    (and (iff (nth (car (car clues)) b) (cdr (car clues)))
         (clues-hold (cdr clues) b))))

(defun sign-holds (sign b)
  (if (nth 2 sign)
      (iff (nth (nth 0 sign) b) (nth (nth 1 sign) b))
    (not (iff (nth (nth 0 sign) b) (nth (nth 1 sign) b)))))

(defun signs-hold (signs b)
  (if (atom signs) t
    (and (sign-holds (car signs) b) (signs-hold (cdr signs) b))))

(defun some-one (cells b)
  (if (atom cells) nil (or (nth (car cells) b) (some-one (cdr cells) b))))

(defun some-zero (cells b)
  (if (atom cells) nil (or (not (nth (car cells) b)) (some-zero (cdr cells) b))))

(defun windows-hold (windows b)
  (if (atom windows) t
    (and (some-one (car windows) b) (some-zero (car windows) b)
         (windows-hold (cdr windows) b))))

(defun counts-hold (lines b)
  (if (atom lines) t
    (and (equal (ones (cdr (car lines)) b) (car (car lines)))
         (counts-hold (cdr lines) b))))

(defun lines-differ (one two b)
  (if (or (atom one) (atom two)) nil
    (or (not (iff (nth (car one) b) (nth (car two) b)))
        (lines-differ (cdr one) (cdr two) b))))

(defun pairs-hold (pairs b)
  (if (atom pairs) t
    (and (lines-differ (car (car pairs)) (cdr (car pairs)) b)
         (pairs-hold (cdr pairs) b))))

(defun boards-differ (one two n)
  (if (zp n) nil
    (or (not (iff (nth (1- n) one) (nth (1- n) two)))
        (boards-differ one two (1- n)))))

; ---- Clauses of cells and of pairs of lines, and why they hold

(defun cellp (i n) (and (natp i) (< i n)))

(defun clue-clause-p (c clue n)
  (and (cellp (car clue) n)
       (equal c (list (if (cdr clue) (1+ (car clue)) (- (1+ (car clue))))))))

(defthm clue-clause-true
  (implies (and (clues-hold clues b) (member-equal clue clues)
                (clue-clause-p c clue n) (natp n))
           (clause-true c n m b)))

(defun sign-clause-p (c sign n)
  (let ((i (1+ (nth 0 sign))) (j (if (nth 2 sign) (- (1+ (nth 1 sign))) (1+ (nth 1 sign)))))
    (and (cellp (nth 0 sign) n) (cellp (nth 1 sign) n)
         (or (equal c (list i j)) (equal c (list (- i) (- j)))))))

(defthm signs-hold-member
  (implies (and (signs-hold signs b) (member-equal sign signs)) (sign-holds sign b)))

(defthm sign-clause-true-1
  (implies (and (sign-holds sign b) (sign-clause-p c sign n) (natp n))
           (clause-true c n m b)))

(defthm sign-clause-true
  (implies (and (signs-hold signs b) (member-equal sign signs)
                (sign-clause-p c sign n) (natp n))
           (clause-true c n m b))
  :hints (("Goal" :in-theory (disable sign-holds sign-clause-p clause-true)
           :use sign-clause-true-1)))

(defun positive-clause-p (c cells n)
  (if (atom cells) (null c)
    (and (consp c) (cellp (car cells) n) (equal (car c) (1+ (car cells)))
         (positive-clause-p (cdr c) (cdr cells) n))))

(defun negative-clause-p (c cells n)
  (if (atom cells) (null c)
    (and (consp c) (cellp (car cells) n) (equal (car c) (- (1+ (car cells))))
         (negative-clause-p (cdr c) (cdr cells) n))))

(defthm positive-clause-true
  (implies (and (some-one cells b) (positive-clause-p c cells n) (natp n))
           (clause-true c n m b)))

(defthm negative-clause-true
  (implies (and (some-zero cells b) (negative-clause-p c cells n) (natp n))
           (clause-true c n m b)))

(defthm windows-hold-member
  (implies (and (windows-hold windows b) (member-equal cells windows))
           (and (some-one cells b) (some-zero cells b))))

(defthm window-clause-true
  (implies (and (windows-hold windows b) (member-equal cells windows) (natp n)
                (or (positive-clause-p c cells n) (negative-clause-p c cells n)))
           (clause-true c n m b))
  :hints (("Goal" :in-theory (disable clause-true positive-clause-p negative-clause-p))))

(defun differ-clause-p (c v i j n m)
  (and (natp v) (< n v) (cellp i n) (cellp j n)
       (equal (cdr (assoc-equal v m)) (list :differ i j))
       (or (equal c (list (- v) (1+ i) (1+ j)))
           (equal c (list (- v) (- (1+ i)) (- (1+ j))))
           (equal c (list v (- (1+ i)) (1+ j)))
           (equal c (list v (1+ i) (- (1+ j)))))))

(defthm differ-clause-true
  (implies (and (differ-clause-p c v i j n m) (natp n))
           (clause-true c n m b)))

(defun distinct-clause-p (c one two n m)
  (if (or (atom one) (atom two)) (null c)
    (and (consp c) (natp (car c)) (< n (car c))
         (equal (cdr (assoc-equal (car c) m)) (list :differ (car one) (car two)))
         (distinct-clause-p (cdr c) (cdr one) (cdr two) n m))))

(defthm distinct-clause-true-1
  (implies (and (lines-differ one two b) (distinct-clause-p c one two n m) (natp n))
           (clause-true c n m b)))

(defthm pairs-hold-member
  (implies (and (pairs-hold pairs b) (member-equal (cons one two) pairs))
           (lines-differ one two b)))

(defthm distinct-clause-true
  (implies (and (pairs-hold pairs b) (member-equal (cons one two) pairs)
                (distinct-clause-p c one two n m) (natp n))
           (clause-true c n m b))
  :hints (("Goal" :in-theory (disable pairs-hold lines-differ clause-true distinct-clause-p
                                      pairs-hold-member distinct-clause-true-1)
           :use (pairs-hold-member distinct-clause-true-1))))

(defun blocking-clause-p (c board n)
  (if (zp n) t
    (and (member-equal (if (nth (1- n) board) (- n) n) c)
         (blocking-clause-p c board (1- n)))))

(defthm member-clause-true
  (implies (and (member-equal l c) (literal-true l n m b))
           (clause-true c n m b))
  :hints (("Goal" :in-theory (disable literal-true))))

(defthm blocking-clause-true-1
  (implies (and (boards-differ b board k) (blocking-clause-p c board k) (natp k) (natp n) (<= k n))
           (clause-true c n m b))
  :hints (("Goal" :induct (boards-differ b board k) :in-theory (disable clause-true))
          ("Subgoal *1/2" :use ((:instance member-clause-true (l (if (nth (1- k) board) (- k) k)))))))

; ---- Clauses of numbers of ones
;
; Such a clause is about cell k of a line, the ones before it (p), and whether it is 1 (x). It is
; checked for each p and x that is possible if the whole line has its number of ones.

(defthm ones-of-one-more
  (implies (and (natp k) (< k (len line)))
           (equal (ones (take-first (1+ k) line) b)
                  (+ (ones (take-first k line) b) (if (nth (nth k line) b) 1 0)))))

(defthm ones-natp (natp (ones line b)) :rule-classes :type-prescription)

(defthm ones-of-first-bound
  (<= (ones (take-first k line) b) (ones line b))
  :rule-classes :linear)

(defthm ones-of-all-bound
  (<= (ones line b) (len line))
  :rule-classes :linear)

(defthm zeros-of-first-bound
  (implies (and (natp k) (<= k (len line)))
           (<= (- k (ones (take-first k line) b)) (- (len line) (ones line b))))
  :rule-classes :linear)

(defthm ones-of-first-bound-2
  (implies (natp k) (<= (ones (take-first k line) b) k))
  :rule-classes :linear)

(defun count-literal-true (l p x line k n m)
  (let* ((v (if (< 0 l) l (- l)))
         (d (cdr (assoc-equal v m)))
         (known (or (equal v (1+ (nth k line)))
                    (and (< n v) (equal (car d) :count) (equal (nth 1 d) line)
                         (or (equal (nth 3 d) k) (equal (nth 3 d) (1+ k))))))
         (val (cond ((equal v (1+ (nth k line))) x)
                    ((equal (nth 3 d) k) (<= (nth 2 d) p))
                    (t (<= (nth 2 d) (+ p (if x 1 0)))))))
    (and known (if (< 0 l) val (not val)))))

(defun count-clause-true (c p x line k n m)
  (if (atom c) nil
    (or (count-literal-true (car c) p x line k n m)
        (count-clause-true (cdr c) p x line k n m))))

(defthm count-literal-true-is-true
  (implies (and (natp k) (< k (len line)) (cellp (nth k line) n) (natp n)
                (count-literal-true l (ones (take-first k line) b) (if (nth (nth k line) b) t nil) line k n m))
           (literal-true l n m b))
  :hints (("Goal" :do-not-induct t :in-theory (disable nth take-first ones len))))

(defthm count-clause-true-is-true
  (implies (and (natp k) (< k (len line)) (cellp (nth k line) n) (natp n)
                (count-clause-true c (ones (take-first k line) b) (if (nth (nth k line) b) t nil) line k n m))
           (clause-true c n m b))
  :hints (("Goal" :in-theory (disable literal-true count-literal-true cellp))))

(defun possible (p x k most-ones most-zeros)
  (let ((q (+ p (if x 1 0))))
    (and (<= q most-ones) (<= (- (1+ k) q) most-zeros))))

(defun count-check (c p line k most-ones most-zeros n m)
  (and (or (not (possible p t k most-ones most-zeros)) (count-clause-true c p t line k n m))
       (or (not (possible p nil k most-ones most-zeros)) (count-clause-true c p nil line k n m))
       (or (zp p) (count-check c (1- p) line k most-ones most-zeros n m))))

(defthm count-check-covers
  (implies (and (count-check c top line k most-ones most-zeros n m) (natp p) (natp top) (<= p top)
                (possible p (if x t nil) k most-ones most-zeros))
           (count-clause-true c p (if x t nil) line k n m))
  :hints (("Goal" :in-theory (disable count-clause-true possible))))

(defun count-clause-p (c line k total n m)
  (and (natp k) (< k (len line)) (cellp (nth k line) n)
       (count-check c k line k total (- (len line) total) n m)))

(defthm ones-are-possible
  (implies (and (natp k) (< k (len line)))
           (possible (ones (take-first k line) b) (if (nth (nth k line) b) t nil)
                     k (ones line b) (- (len line) (ones line b))))
  :hints (("Goal" :use ((:instance zeros-of-first-bound (k (1+ k)))
                        (:instance ones-of-first-bound (k (1+ k))))
           :in-theory (disable zeros-of-first-bound ones-of-first-bound))))

(defthm counts-hold-member
  (implies (and (counts-hold lines b) (member-equal (cons total line) lines))
           (equal (ones line b) total))
  :rule-classes nil)

(defthm count-clause-true-for-all
  (implies (and (counts-hold lines b) (member-equal (cons total line) lines)
                (count-clause-p c line k total n m) (natp n))
           (clause-true c n m b))
  :hints (("Goal" :use (counts-hold-member
                        count-clause-true-is-true
                        ones-are-possible
                        (:instance count-check-covers (top k) (p (ones (take-first k line) b))
                                   (x (nth (nth k line) b)) (most-ones (ones line b))
                                   (most-zeros (- (len line) (ones line b)))))
           :in-theory (disable counts-hold clause-true count-check count-clause-true possible
                               count-clause-true-is-true count-check-covers ones-are-possible))))

; ---- The same for lines of odd length in which either symbol may be in excess
;
; Of the two numbers, the larger one is `half`. A variable off the board is true if ones are short.

(defun halves-hold (lines b)
  (if (atom lines) t
    (and (<= (* 2 (ones (car lines) b)) (1+ (len (car lines))))
         (<= (1- (len (car lines))) (* 2 (ones (car lines) b)))
         (halves-hold (cdr lines) b))))

(defthm halves-hold-member
  (implies (and (halves-hold lines b) (member-equal line lines))
           (and (<= (* 2 (ones line b)) (1+ (len line)))
                (<= (1- (len line)) (* 2 (ones line b)))))
  :rule-classes nil)

(defthm possible-within
  (implies (and (possible p x k most-ones most-zeros) (<= most-ones half) (<= most-zeros half))
           (possible p x k half half))
  :rule-classes nil)

(defun half-clause-p (c line k half n m)
  (and (natp k) (< k (len line)) (cellp (nth k line) n) (natp half)
       (equal (* 2 half) (1+ (len line)))
       (count-check c k line k half half n m)))

(defthm half-clause-true
  (implies (and (halves-hold lines b) (member-equal line lines)
                (half-clause-p c line k half n m) (natp n))
           (clause-true c n m b))
  :hints (("Goal" :do-not-induct t
           :use (halves-hold-member
                 count-clause-true-is-true
                 ones-are-possible
                 (:instance possible-within (p (ones (take-first k line) b))
                            (x (if (nth (nth k line) b) t nil)) (most-ones (ones line b))
                            (most-zeros (- (len line) (ones line b))))
                 (:instance count-check-covers (top k) (p (ones (take-first k line) b))
                            (x (nth (nth k line) b)) (most-ones half) (most-zeros half)))
           :in-theory (disable halves-hold clause-true count-check count-clause-true possible
                               count-clause-true-is-true count-check-covers ones-are-possible))))

(defun spare-literal-true (l p x line n m)
  (let* ((v (if (< 0 l) l (- l)))
         (d (cdr (assoc-equal v m)))
         (known (and (< n v) (equal (nth 1 d) line)
                     (or (equal (car d) :spare)
                         (and (equal (car d) :count) (equal (nth 3 d) (len line))))))
         (val (if (equal (car d) :spare) x (<= (nth 2 d) p))))
    (and known (if (< 0 l) val (not val)))))

(defun spare-clause-true (c p x line n m)
  (if (atom c) nil
    (or (spare-literal-true (car c) p x line n m)
        (spare-clause-true (cdr c) p x line n m))))

(defthm ones-of-all
  (equal (ones (take-first (len line) line) b) (ones line b)))

(defthm spare-literal-true-is-true
  (implies (and (natp n)
                (spare-literal-true l (ones line b) (< (* 2 (ones line b)) (len line)) line n m))
           (literal-true l n m b))
  :hints (("Goal" :do-not-induct t :in-theory (disable nth take-first ones len))))

(defthm spare-clause-true-is-true
  (implies (and (natp n)
                (spare-clause-true c (ones line b) (< (* 2 (ones line b)) (len line)) line n m))
           (clause-true c n m b))
  :hints (("Goal" :in-theory (disable literal-true spare-literal-true ones len))))

(defthm spare-clause-true-is-true-if
  (implies (and (natp n) (equal x (< (* 2 (ones line b)) (len line)))
                (spare-clause-true c (ones line b) x line n m))
           (clause-true c n m b))
  :rule-classes nil
  :hints (("Goal" :do-not-induct t :use spare-clause-true-is-true
           :in-theory (disable clause-true spare-clause-true ones len
                               spare-clause-true-is-true))))

(defun spare-clause-p (c line half n m)
  (and (natp half) (equal (* 2 half) (1+ (len line)))
       (spare-clause-true c half nil line n m)
       (spare-clause-true c (1- half) t line n m)))

(defthm spare-clause-p-true
  (implies (and (halves-hold lines b) (member-equal line lines)
                (spare-clause-p c line half n m) (natp n))
           (clause-true c n m b))
  :hints (("Goal" :do-not-induct t
           :use (halves-hold-member
                 (:instance spare-clause-true-is-true-if (x nil))
                 (:instance spare-clause-true-is-true-if (x t)))
           :cases ((equal (ones line b) half) (equal (ones line b) (1- half)))
           :in-theory (disable halves-hold clause-true spare-clause-true ones
                               spare-clause-true-is-true))))

; ---- The puzzle: (height width clues signs longest-run excess distinct-lines)
;
; In lines of odd length, `excess` is 1 if there is one more 1, 0 if there is one more 0, and
; :either if one of these holds. It is :unbalanced if there is no rule about numbers of ones.

(defun cells-from (start step k)
  (if (zp k) nil (cons start (cells-from (+ start step) step (1- k)))))

(defun rows-from (r h w)
  (declare (xargs :measure (nfix (- h r))))
  (if (and (natp r) (natp h) (< r h))
      (cons (cells-from (* r w) 1 w) (rows-from (1+ r) h w))
    nil))

(defun columns-from (c h w)
  (declare (xargs :measure (nfix (- w c))))
  (if (and (natp c) (natp w) (< c w))
      (cons (cells-from c w h) (columns-from (1+ c) h w))
    nil))

(defun windows-of-line (line size)
  (if (or (atom line) (< (len line) size)) nil
    (cons (take-first size line) (windows-of-line (cdr line) size))))

(defun windows-of-lines (lines size)
  (if (atom lines) nil
    (append (windows-of-line (car lines) size) (windows-of-lines (cdr lines) size))))

(defun counts-of-lines (lines excess)
  (if (atom lines) nil
    (cons (cons (floor (+ (len (car lines)) excess) 2) (car lines))
          (counts-of-lines (cdr lines) excess))))

(defun pairs-with (one lines)
  (if (atom lines) nil (cons (cons one (car lines)) (pairs-with one (cdr lines)))))

(defun all-pairs (lines)
  (if (atom lines) nil
    (append (pairs-with (car lines) (cdr lines)) (all-pairs (cdr lines)))))

(defun height (p) (nfix (nth 0 p)))
(defun width (p) (nfix (nth 1 p)))
(defun clues (p) (nth 2 p))
(defun signs (p) (nth 3 p))
(defun lines (p)
  (append (rows-from 0 (height p) (width p)) (columns-from 0 (height p) (width p))))
(defun windows (p) (windows-of-lines (lines p) (1+ (nth 4 p))))
(defun even-lines (lines)
  (cond ((atom lines) nil)
        ((evenp (len (car lines))) (cons (car lines) (even-lines (cdr lines))))
        (t (even-lines (cdr lines)))))

(defun odd-lines (lines)
  (cond ((atom lines) nil)
        ((evenp (len (car lines))) (odd-lines (cdr lines)))
        (t (cons (car lines) (odd-lines (cdr lines))))))

; The lines of which the number of ones is known, with this number.
(defun counts (p)
  (cond ((equal (nth 5 p) :unbalanced) nil)
        ((equal (nth 5 p) :either) (counts-of-lines (even-lines (lines p)) 0))
        (t (counts-of-lines (lines p) (nth 5 p)))))

; The lines in which either symbol may be in excess.
(defun halves (p)
  (if (equal (nth 5 p) :either) (odd-lines (lines p)) nil))
(defun pairs (p)
  (if (nth 6 p)
      (append (all-pairs (rows-from 0 (height p) (width p)))
              (all-pairs (columns-from 0 (height p) (width p))))
    nil))

(defun solutionp (b p)
  (and (clues-hold (clues p) b) (signs-hold (signs p) b) (windows-hold (windows p) b)
       (counts-hold (counts p) b) (halves-hold (halves p) b) (pairs-hold (pairs p) b)))

(defun size (p) (* (height p) (width p)))

(defun all-solutions (boards p)
  (if (atom boards) t (and (solutionp (car boards) p) (all-solutions (cdr boards) p))))

(defun other-board (b blocked p)
  (if (atom blocked) t
    (and (boards-differ b (car blocked) (size p)) (other-board b (cdr blocked) p))))

(defthm other-board-differs-from-each
  (implies (and (other-board b blocked p) (natp k) (< k (len blocked)))
           (boards-differ b (nth k blocked) (size p)))
  :hints (("Goal" :in-theory (e/d (nth) (boards-differ size)))))

; ---- The formula: every clause needs a hint, and the hint must fit

(defun clause-ok (c hint m blocked p)
  (let ((kind (nth 0 hint)) (x (nth 1 hint)) (y (nth 2 hint)) (z (nth 3 hint)) (n (size p)))
    (cond ((equal kind :clue) (and (member-equal x (clues p)) (clue-clause-p c x n)))
          ((equal kind :sign) (and (member-equal x (signs p)) (sign-clause-p c x n)))
          ((equal kind :window)
           (and (member-equal x (windows p))
                (or (positive-clause-p c x n) (negative-clause-p c x n))))
          ((equal kind :count)
           (and (member-equal (cons z x) (counts p)) (count-clause-p c x y z n m)))
          ((equal kind :half)
           (and (member-equal x (halves p)) (half-clause-p c x y z n m)))
          ((equal kind :spare)
           (and (member-equal x (halves p)) (spare-clause-p c x y n m)))
          ((equal kind :differ) (differ-clause-p c x y z n m))
          ((equal kind :distinct)
           (and (member-equal (cons x y) (pairs p)) (distinct-clause-p c x y n m)))
          ((equal kind :blocked) (and (natp x) (< x (len blocked)) (blocking-clause-p c (nth x blocked) n)))
          (t nil))))

(defthm size-natp (natp (size p)) :rule-classes (:rewrite :type-prescription))

(in-theory (disable size clues signs windows counts halves pairs clues-hold signs-hold
                    windows-hold counts-hold halves-hold pairs-hold clue-clause-p sign-clause-p
                    positive-clause-p negative-clause-p count-clause-p half-clause-p
                    spare-clause-p differ-clause-p distinct-clause-p
                    blocking-clause-p boards-differ clause-true nth in-range))

(defthm clause-ok-true
  (implies (and (solutionp b p) (other-board b blocked p) (clause-ok c hint m blocked p))
           (clause-true c (size p) m b))
  :hints (("Goal" :do-not-induct t
           :use ((:instance clue-clause-true (clues (clues p)) (clue (nth 1 hint)) (n (size p)))
                 (:instance sign-clause-true (signs (signs p)) (sign (nth 1 hint)) (n (size p)))
                 (:instance window-clause-true (windows (windows p)) (cells (nth 1 hint)) (n (size p)))
                 (:instance count-clause-true-for-all (lines (counts p)) (total (nth 3 hint))
                            (line (nth 1 hint)) (k (nth 2 hint)) (n (size p)))
                 (:instance half-clause-true (lines (halves p)) (line (nth 1 hint))
                            (k (nth 2 hint)) (half (nth 3 hint)) (n (size p)))
                 (:instance spare-clause-p-true (lines (halves p)) (line (nth 1 hint))
                            (half (nth 2 hint)) (n (size p)))
                 (:instance differ-clause-true (v (nth 1 hint)) (i (nth 2 hint)) (j (nth 3 hint)) (n (size p)))
                 (:instance distinct-clause-true (pairs (pairs p)) (one (nth 1 hint)) (two (nth 2 hint)) (n (size p)))
                 (:instance other-board-differs-from-each (k (nth 1 hint)))
                 (:instance blocking-clause-true-1 (board (nth (nth 1 hint) blocked)) (k (size p)) (n (size p)))))))

(defun formula-ok (f hints top m blocked p)
  (if (atom f) t
    (and (in-range (cdr (car f)) top)
         (clause-ok (cdr (car f)) (cdr (hons-get (car (car f)) hints)) m blocked p)
         (formula-ok (cdr f) hints top m blocked p))))

(defthm formula-ok-all-true
  (implies (and (solutionp b p) (other-board b blocked p) (formula-ok f hints top m blocked p))
           (all-true f top (size p) m b))
  :hints (("Goal" :in-theory (disable clause-ok solutionp other-board))))

(defun accepted (f proof hints top m blocked p)
  (and (natp top) (formula-p f) (refutation-p proof f) (formula-ok f hints top m blocked p)))

; The blocked solutions are all there are. If none is blocked, there is none.
(defthm accepted-means-no-other-solution
  (implies (and (accepted f proof hints top m blocked p) (other-board b blocked p))
           (not (solutionp b p)))
  :hints (("Goal" :in-theory (disable refutation-p formula-p formula-ok solutionp other-board
                                      accepted-implies-not-all-true all-true)
           :use ((:instance accepted-implies-not-all-true (n (size p)) (meanings m))))))
