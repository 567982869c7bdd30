(module
  (memory (export "memory") 1)

  ;; Sum of four lanes.
  (func $sum (param $v v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $v)) (i32x4.extract_lane 1 (local.get $v)))
      (i32.add (i32x4.extract_lane 2 (local.get $v)) (i32x4.extract_lane 3 (local.get $v)))))

  ;; Dot product of one code (dims signed bytes at $code) with a query of dims 16-bit integers at $query.
  ;; dims is a multiple of 16.
  (func $dot (param $code i32) (param $query i32) (param $dims i32) (result i32)
    (local $end i32) (local $low v128) (local $high v128) (local $bytes v128)
    (local.set $end (i32.add (local.get $code) (local.get $dims)))
    (loop $next
      (local.set $bytes (v128.load (local.get $code)))
      (local.set $low (i32x4.add (local.get $low)
        (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $bytes)) (v128.load (local.get $query)))))
      (local.set $high (i32x4.add (local.get $high)
        (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $bytes)) (v128.load offset=16 (local.get $query)))))
      (local.set $code (i32.add (local.get $code) (i32.const 16)))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (br_if $next (i32.lt_u (local.get $code) (local.get $end))))
    (call $sum (i32x4.add (local.get $low) (local.get $high))))

  ;; Dot products of four codes at once, which shares the loads of the query; four integers to $scores.
  (func $dot4 (param $c0 i32) (param $c1 i32) (param $c2 i32) (param $c3 i32) (param $query i32) (param $dims i32) (param $scores i32)
    (local $end i32) (local $q0 v128) (local $q1 v128) (local $bytes v128)
    (local $l0 v128) (local $l1 v128) (local $l2 v128) (local $l3 v128)
    (local $h0 v128) (local $h1 v128) (local $h2 v128) (local $h3 v128)
    (local.set $end (i32.add (local.get $c0) (local.get $dims)))
    (loop $next
      (local.set $q0 (v128.load (local.get $query)))
      (local.set $q1 (v128.load offset=16 (local.get $query)))
      (local.set $bytes (v128.load (local.get $c0)))
      (local.set $l0 (i32x4.add (local.get $l0)
        (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $bytes)) (local.get $q0))))
      (local.set $h0 (i32x4.add (local.get $h0)
        (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $bytes)) (local.get $q1))))
      (local.set $bytes (v128.load (local.get $c1)))
      (local.set $l1 (i32x4.add (local.get $l1)
        (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $bytes)) (local.get $q0))))
      (local.set $h1 (i32x4.add (local.get $h1)
        (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $bytes)) (local.get $q1))))
      (local.set $bytes (v128.load (local.get $c2)))
      (local.set $l2 (i32x4.add (local.get $l2)
        (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $bytes)) (local.get $q0))))
      (local.set $h2 (i32x4.add (local.get $h2)
        (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $bytes)) (local.get $q1))))
      (local.set $bytes (v128.load (local.get $c3)))
      (local.set $l3 (i32x4.add (local.get $l3)
        (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $bytes)) (local.get $q0))))
      (local.set $h3 (i32x4.add (local.get $h3)
        (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $bytes)) (local.get $q1))))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (local.set $c1 (i32.add (local.get $c1) (i32.const 16)))
      (local.set $c2 (i32.add (local.get $c2) (i32.const 16)))
      (local.set $c3 (i32.add (local.get $c3) (i32.const 16)))
      (local.set $c0 (i32.add (local.get $c0) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $c0) (local.get $end))))
    (i32.store (local.get $scores) (call $sum (i32x4.add (local.get $l0) (local.get $h0))))
    (i32.store offset=4 (local.get $scores) (call $sum (i32x4.add (local.get $l1) (local.get $h1))))
    (i32.store offset=8 (local.get $scores) (call $sum (i32x4.add (local.get $l2) (local.get $h2))))
    (i32.store offset=12 (local.get $scores) (call $sum (i32x4.add (local.get $l3) (local.get $h3)))))

  ;; Scores $count consecutive codes from $codes on; one 32-bit integer a code to $scores.
  (func (export "scanRun") (param $codes i32) (param $count i32) (param $dims i32) (param $query i32) (param $scores i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $scores) (i32.shl (local.get $count) (i32.const 2))))
    (block $foursDone
      (loop $nextFour
        (br_if $foursDone (i32.gt_u (i32.add (local.get $scores) (i32.const 16)) (local.get $end)))
        (call $dot4
          (local.get $codes)
          (i32.add (local.get $codes) (local.get $dims))
          (i32.add (local.get $codes) (i32.shl (local.get $dims) (i32.const 1)))
          (i32.add (local.get $codes) (i32.mul (local.get $dims) (i32.const 3)))
          (local.get $query) (local.get $dims) (local.get $scores))
        (local.set $codes (i32.add (local.get $codes) (i32.shl (local.get $dims) (i32.const 2))))
        (local.set $scores (i32.add (local.get $scores) (i32.const 16)))
        (br $nextFour)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $scores) (local.get $end)))
        (i32.store (local.get $scores) (call $dot (local.get $codes) (local.get $query) (local.get $dims)))
        (local.set $codes (i32.add (local.get $codes) (local.get $dims)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 4)))
        (br $next))))

  ;; The same for the $count codes whose numbers stand as 32-bit integers at $rows.
  (func (export "scanRows") (param $codes i32) (param $rows i32) (param $count i32) (param $dims i32) (param $query i32) (param $scores i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $scores) (i32.shl (local.get $count) (i32.const 2))))
    (block $foursDone
      (loop $nextFour
        (br_if $foursDone (i32.gt_u (i32.add (local.get $scores) (i32.const 16)) (local.get $end)))
        (call $dot4
          (i32.add (local.get $codes) (i32.mul (i32.load (local.get $rows)) (local.get $dims)))
          (i32.add (local.get $codes) (i32.mul (i32.load offset=4 (local.get $rows)) (local.get $dims)))
          (i32.add (local.get $codes) (i32.mul (i32.load offset=8 (local.get $rows)) (local.get $dims)))
          (i32.add (local.get $codes) (i32.mul (i32.load offset=12 (local.get $rows)) (local.get $dims)))
          (local.get $query) (local.get $dims) (local.get $scores))
        (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 16)))
        (br $nextFour)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $scores) (local.get $end)))
        (i32.store (local.get $scores)
          (call $dot
            (i32.add (local.get $codes) (i32.mul (i32.load (local.get $rows)) (local.get $dims)))
            (local.get $query) (local.get $dims)))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 4)))
        (br $next))))

  ;; Inner products of $count vectors of $dims floats (a multiple of 8) at $rows with one of $dims doubles at $query; one
  ;; double each to $out. Eight sums run side by side and are added in a fixed order.
  (func (export "innerProducts") (param $rows i32) (param $count i32) (param $dims i32) (param $query i32) (param $out i32)
    (local $end i32) (local $rowEnd i32) (local $q i32) (local $x v128) (local $y v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 3))))
    (block $done
      (loop $nextRow
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $rowEnd (i32.add (local.get $rows) (i32.shl (local.get $dims) (i32.const 2))))
        (local.set $q (local.get $query))
        (local.set $a (v128.const i32x4 0 0 0 0)) (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0)) (local.set $d (v128.const i32x4 0 0 0 0))
        (loop $next
          (local.set $x (v128.load (local.get $rows)))
          (local.set $y (v128.load offset=16 (local.get $rows)))
          (local.set $a (f64x2.add (local.get $a)
            (f64x2.mul (f64x2.promote_low_f32x4 (local.get $x)) (v128.load (local.get $q)))))
          (local.set $b (f64x2.add (local.get $b)
            (f64x2.mul (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $x) (local.get $x)))
              (v128.load offset=16 (local.get $q)))))
          (local.set $c (f64x2.add (local.get $c)
            (f64x2.mul (f64x2.promote_low_f32x4 (local.get $y)) (v128.load offset=32 (local.get $q)))))
          (local.set $d (f64x2.add (local.get $d)
            (f64x2.mul (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $y) (local.get $y)))
              (v128.load offset=48 (local.get $q)))))
          (local.set $q (i32.add (local.get $q) (i32.const 64)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 32)))
          (br_if $next (i32.lt_u (local.get $rows) (local.get $rowEnd))))
        (local.set $a (f64x2.add (f64x2.add (local.get $a) (local.get $b)) (f64x2.add (local.get $c) (local.get $d))))
        (f64.store (local.get $out)
          (f64.add (f64x2.extract_lane 0 (local.get $a)) (f64x2.extract_lane 1 (local.get $a))))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (br $nextRow))))

  ;; Product of a vector of $depth doubles at $vector with a row-major matrix of $depth rows and $columns columns of floats
  ;; (a multiple of 4) at $matrix: $columns doubles at $out, each summed in the order of the rows.
  (func (export "project") (param $vector i32) (param $depth i32) (param $matrix i32) (param $columns i32) (param $out i32)
    (local $end i32) (local $o i32) (local $outEnd i32) (local $x v128) (local $row v128)
    (local.set $outEnd (i32.add (local.get $out) (i32.shl (local.get $columns) (i32.const 3))))
    (memory.fill (local.get $out) (i32.const 0) (i32.shl (local.get $columns) (i32.const 3)))
    (local.set $end (i32.add (local.get $vector) (i32.shl (local.get $depth) (i32.const 3))))
    (loop $nextRow
      (local.set $x (v128.load64_splat (local.get $vector)))
      (local.set $o (local.get $out))
      (loop $next
        (local.set $row (v128.load (local.get $matrix)))
        (v128.store (local.get $o) (f64x2.add (v128.load (local.get $o))
          (f64x2.mul (local.get $x) (f64x2.promote_low_f32x4 (local.get $row)))))
        (v128.store offset=16 (local.get $o) (f64x2.add (v128.load offset=16 (local.get $o))
          (f64x2.mul (local.get $x) (f64x2.promote_low_f32x4
            (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $row) (local.get $row))))))
        (local.set $matrix (i32.add (local.get $matrix) (i32.const 16)))
        (local.set $o (i32.add (local.get $o) (i32.const 32)))
        (br_if $next (i32.lt_u (local.get $o) (local.get $outEnd))))
      (local.set $vector (i32.add (local.get $vector) (i32.const 8)))
      (br_if $nextRow (i32.lt_u (local.get $vector) (local.get $end)))))

  ;; Multiplies $rows rows of $depth floats at $left (row-major; $rows a multiple of 4) by a matrix of $depth rows and
  ;; $columns columns (a multiple of 8) that stands at $panels in panels of 8 columns, each panel row-major. The product
  ;; goes to $out, row-major. Sums run in the order of $depth, in single precision.
  (func (export "multiply") (param $left i32) (param $rows i32) (param $depth i32) (param $panels i32) (param $columns i32) (param $out i32)
    (local $row i32) (local $column i32) (local $k i32) (local $x i32) (local $p i32) (local $o i32) (local $pitch i32) (local $step i32)
    (local $b0 v128) (local $b1 v128) (local $s v128)
    (local $a00 v128) (local $a01 v128) (local $a10 v128) (local $a11 v128)
    (local $a20 v128) (local $a21 v128) (local $a30 v128) (local $a31 v128)
    (local.set $pitch (i32.shl (local.get $depth) (i32.const 2)))
    (local.set $step (i32.shl (local.get $columns) (i32.const 2)))
    (block $columnsDone
      (loop $nextColumn
        (br_if $columnsDone (i32.ge_u (local.get $column) (local.get $columns)))
        (local.set $row (i32.const 0))
        (block $rowsDone
          (loop $nextRow
            (br_if $rowsDone (i32.ge_u (local.get $row) (local.get $rows)))
            (local.set $x (i32.add (local.get $left) (i32.mul (local.get $row) (local.get $pitch))))
            (local.set $p (i32.add (local.get $panels) (i32.mul (local.get $column) (local.get $pitch))))
            (local.set $a00 (v128.const i32x4 0 0 0 0)) (local.set $a01 (v128.const i32x4 0 0 0 0))
            (local.set $a10 (v128.const i32x4 0 0 0 0)) (local.set $a11 (v128.const i32x4 0 0 0 0))
            (local.set $a20 (v128.const i32x4 0 0 0 0)) (local.set $a21 (v128.const i32x4 0 0 0 0))
            (local.set $a30 (v128.const i32x4 0 0 0 0)) (local.set $a31 (v128.const i32x4 0 0 0 0))
            (local.set $k (local.get $depth))
            (loop $nextK
              (local.set $b0 (v128.load (local.get $p)))
              (local.set $b1 (v128.load offset=16 (local.get $p)))
              (local.set $s (v128.load32_splat (local.get $x)))
              (local.set $a00 (f32x4.add (local.get $a00) (f32x4.mul (local.get $s) (local.get $b0))))
              (local.set $a01 (f32x4.add (local.get $a01) (f32x4.mul (local.get $s) (local.get $b1))))
              (local.set $s (v128.load32_splat (i32.add (local.get $x) (local.get $pitch))))
              (local.set $a10 (f32x4.add (local.get $a10) (f32x4.mul (local.get $s) (local.get $b0))))
              (local.set $a11 (f32x4.add (local.get $a11) (f32x4.mul (local.get $s) (local.get $b1))))
              (local.set $s (v128.load32_splat (i32.add (local.get $x) (i32.shl (local.get $pitch) (i32.const 1)))))
              (local.set $a20 (f32x4.add (local.get $a20) (f32x4.mul (local.get $s) (local.get $b0))))
              (local.set $a21 (f32x4.add (local.get $a21) (f32x4.mul (local.get $s) (local.get $b1))))
              (local.set $s (v128.load32_splat (i32.add (local.get $x) (i32.mul (local.get $pitch) (i32.const 3)))))
              (local.set $a30 (f32x4.add (local.get $a30) (f32x4.mul (local.get $s) (local.get $b0))))
              (local.set $a31 (f32x4.add (local.get $a31) (f32x4.mul (local.get $s) (local.get $b1))))
              (local.set $x (i32.add (local.get $x) (i32.const 4)))
              (local.set $p (i32.add (local.get $p) (i32.const 32)))
              (br_if $nextK (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
            (local.set $o (i32.add (local.get $out)
              (i32.add (i32.mul (local.get $row) (local.get $step)) (i32.shl (local.get $column) (i32.const 2)))))
            (v128.store (local.get $o) (local.get $a00)) (v128.store offset=16 (local.get $o) (local.get $a01))
            (local.set $o (i32.add (local.get $o) (local.get $step)))
            (v128.store (local.get $o) (local.get $a10)) (v128.store offset=16 (local.get $o) (local.get $a11))
            (local.set $o (i32.add (local.get $o) (local.get $step)))
            (v128.store (local.get $o) (local.get $a20)) (v128.store offset=16 (local.get $o) (local.get $a21))
            (local.set $o (i32.add (local.get $o) (local.get $step)))
            (v128.store (local.get $o) (local.get $a30)) (v128.store offset=16 (local.get $o) (local.get $a31))
            (local.set $row (i32.add (local.get $row) (i32.const 4)))
            (br $nextRow)))
        (local.set $column (i32.add (local.get $column) (i32.const 8)))
        (br $nextColumn)))))
