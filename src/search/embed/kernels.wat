(module
  (memory (export "memory") 1)

  ;; For each of $lists lists, 64 floats at $out, and so on every $stride bytes: the sum of the list's rows of a table of signed
  ;; bytes, 64 each, row i of the list times weight i, in whole numbers; then times the list's scale. List n goes from pair n to
  ;; pair n + 1 of the integers at $starts: pairs of rows' numbers at $rows, and of their weights, 16 bits each, at $weights. The
  ;; sums, 32 dimensions at a time, stay in registers; the caller sees to it that none passes 31 bits. Each list's rows are touched
  ;; once before they are summed: a loop that does nothing else has many of them on their way from memory at a time. What it
  ;; returns says nothing, but the loads stay.
  (func (export "gather") (param $starts i32) (param $lists i32) (param $rows i32) (param $weights i32) (param $scales i32) (param $table i32) (param $out i32) (param $stride i32) (result i32)
    (local $last i32) (local $half i32) (local $pair i32) (local $end i32) (local $first i32) (local $second i32) (local $to i32) (local $touched i32)
    (local $weight v128) (local $scale v128) (local $low v128) (local $high v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $e v128) (local $f v128) (local $g v128) (local $h v128)
    (local.set $last (i32.add (local.get $starts) (i32.shl (local.get $lists) (i32.const 2))))
    (block $done
      (loop $list
        (br_if $done (i32.ge_u (local.get $starts) (local.get $last)))
        (local.set $scale (v128.load32_splat (local.get $scales)))
        (local.set $pair (i32.shl (i32.load (local.get $starts)) (i32.const 2)))
        (local.set $end (i32.shl (i32.load offset=4 (local.get $starts)) (i32.const 2)))
        (block $there
          (loop $touch
            (br_if $there (i32.ge_u (local.get $pair) (local.get $end)))
            (local.set $to (i32.add (local.get $rows) (i32.shl (local.get $pair) (i32.const 1))))
            (local.set $touched
              (i32.or
                (local.get $touched)
                (i32.or
                  (i32.load8_u (i32.add (local.get $table) (i32.shl (i32.load (local.get $to)) (i32.const 6))))
                  (i32.load8_u (i32.add (local.get $table) (i32.shl (i32.load offset=4 (local.get $to)) (i32.const 6)))))))
            (local.set $pair (i32.add (local.get $pair) (i32.const 4)))
            (br $touch)))
        (local.set $half (i32.const 0))
        (loop $halves
          (local.set $a (v128.const i32x4 0 0 0 0))
          (local.set $b (v128.const i32x4 0 0 0 0))
          (local.set $c (v128.const i32x4 0 0 0 0))
          (local.set $d (v128.const i32x4 0 0 0 0))
          (local.set $e (v128.const i32x4 0 0 0 0))
          (local.set $f (v128.const i32x4 0 0 0 0))
          (local.set $g (v128.const i32x4 0 0 0 0))
          (local.set $h (v128.const i32x4 0 0 0 0))
          (local.set $pair (i32.shl (i32.load (local.get $starts)) (i32.const 2)))
          (local.set $end (i32.shl (i32.load offset=4 (local.get $starts)) (i32.const 2)))
          (block $summed
            (loop $next
              (br_if $summed (i32.ge_u (local.get $pair) (local.get $end)))
              (local.set $to (i32.add (local.get $rows) (i32.shl (local.get $pair) (i32.const 1))))
              (local.set $first
                (i32.add (i32.add (local.get $table) (local.get $half)) (i32.shl (i32.load (local.get $to)) (i32.const 6))))
              (local.set $second
                (i32.add (i32.add (local.get $table) (local.get $half)) (i32.shl (i32.load offset=4 (local.get $to)) (i32.const 6))))
              (local.set $weight (v128.load32_splat (i32.add (local.get $weights) (local.get $pair))))
              (local.set $low (v128.load (local.get $first)))
              (local.set $high (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $low) (v128.load (local.get $second))))
              (local.set $low (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $low) (v128.load (local.get $second))))
              (local.set $a
                (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $low)) (local.get $weight))))
              (local.set $b
                (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $low)) (local.get $weight))))
              (local.set $c
                (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $high)) (local.get $weight))))
              (local.set $d
                (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $high)) (local.get $weight))))
              (local.set $low (v128.load offset=16 (local.get $first)))
              (local.set $high (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $low) (v128.load offset=16 (local.get $second))))
              (local.set $low (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $low) (v128.load offset=16 (local.get $second))))
              (local.set $e
                (i32x4.add (local.get $e) (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $low)) (local.get $weight))))
              (local.set $f
                (i32x4.add (local.get $f) (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $low)) (local.get $weight))))
              (local.set $g
                (i32x4.add (local.get $g) (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $high)) (local.get $weight))))
              (local.set $h
                (i32x4.add (local.get $h) (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $high)) (local.get $weight))))
              (local.set $pair (i32.add (local.get $pair) (i32.const 4)))
              (br $next)))
          (local.set $to (i32.add (local.get $out) (i32.shl (local.get $half) (i32.const 2))))
          (v128.store offset=0 (local.get $to) (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (local.get $a))))
          (v128.store offset=16 (local.get $to) (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (local.get $b))))
          (v128.store offset=32 (local.get $to) (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (local.get $c))))
          (v128.store offset=48 (local.get $to) (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (local.get $d))))
          (v128.store offset=64 (local.get $to) (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (local.get $e))))
          (v128.store offset=80 (local.get $to) (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (local.get $f))))
          (v128.store offset=96 (local.get $to) (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (local.get $g))))
          (v128.store offset=112 (local.get $to) (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (local.get $h))))
          (local.set $half (i32.add (local.get $half) (i32.const 32)))
          (br_if $halves (i32.lt_u (local.get $half) (i32.const 64))))
        (local.set $starts (i32.add (local.get $starts) (i32.const 4)))
        (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (local.get $stride)))
        (br $list)))
    (local.get $touched))

  ;; Adds $count sparse vectors, each times its float at $weights, to the floats at $out: the vectors whose numbers are at $rows, of 8
  ;; entries of ±1 in 16 bits each at $entries, where an entry is the byte that its float begins at, and 32768 where it is −1. All
  ;; are touched first, as in gather.
  (func (export "scatter") (param $entries i32) (param $rows i32) (param $weights i32) (param $count i32) (param $out i32) (result i32)
    (local $end i32) (local $from i32) (local $entry i32) (local $weight i32) (local $to i32) (local $touched i32)
    (local.set $end (i32.add (local.get $rows) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $from (local.get $rows))
    (block $there
      (loop $touch
        (br_if $there (i32.ge_u (local.get $from) (local.get $end)))
        (local.set $touched
          (i32.or
            (local.get $touched)
            (i32.load16_u (i32.add (local.get $entries) (i32.shl (i32.load (local.get $from)) (i32.const 4))))))
        (local.set $from (i32.add (local.get $from) (i32.const 4)))
        (br $touch)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
        (local.set $from (i32.add (local.get $entries) (i32.shl (i32.load (local.get $rows)) (i32.const 4))))
        (local.set $weight (i32.load (local.get $weights)))
        (local.set $entry (i32.load16_u offset=0 (local.get $from)))
        (local.set $to (i32.add (local.get $out) (i32.and (local.get $entry) (i32.const 0x7fff))))
        (f32.store (local.get $to)
          (f32.add (f32.load (local.get $to))
            (f32.reinterpret_i32 (i32.xor (local.get $weight) (i32.shl (i32.and (local.get $entry) (i32.const 0x8000)) (i32.const 16))))))
        (local.set $entry (i32.load16_u offset=2 (local.get $from)))
        (local.set $to (i32.add (local.get $out) (i32.and (local.get $entry) (i32.const 0x7fff))))
        (f32.store (local.get $to)
          (f32.add (f32.load (local.get $to))
            (f32.reinterpret_i32 (i32.xor (local.get $weight) (i32.shl (i32.and (local.get $entry) (i32.const 0x8000)) (i32.const 16))))))
        (local.set $entry (i32.load16_u offset=4 (local.get $from)))
        (local.set $to (i32.add (local.get $out) (i32.and (local.get $entry) (i32.const 0x7fff))))
        (f32.store (local.get $to)
          (f32.add (f32.load (local.get $to))
            (f32.reinterpret_i32 (i32.xor (local.get $weight) (i32.shl (i32.and (local.get $entry) (i32.const 0x8000)) (i32.const 16))))))
        (local.set $entry (i32.load16_u offset=6 (local.get $from)))
        (local.set $to (i32.add (local.get $out) (i32.and (local.get $entry) (i32.const 0x7fff))))
        (f32.store (local.get $to)
          (f32.add (f32.load (local.get $to))
            (f32.reinterpret_i32 (i32.xor (local.get $weight) (i32.shl (i32.and (local.get $entry) (i32.const 0x8000)) (i32.const 16))))))
        (local.set $entry (i32.load16_u offset=8 (local.get $from)))
        (local.set $to (i32.add (local.get $out) (i32.and (local.get $entry) (i32.const 0x7fff))))
        (f32.store (local.get $to)
          (f32.add (f32.load (local.get $to))
            (f32.reinterpret_i32 (i32.xor (local.get $weight) (i32.shl (i32.and (local.get $entry) (i32.const 0x8000)) (i32.const 16))))))
        (local.set $entry (i32.load16_u offset=10 (local.get $from)))
        (local.set $to (i32.add (local.get $out) (i32.and (local.get $entry) (i32.const 0x7fff))))
        (f32.store (local.get $to)
          (f32.add (f32.load (local.get $to))
            (f32.reinterpret_i32 (i32.xor (local.get $weight) (i32.shl (i32.and (local.get $entry) (i32.const 0x8000)) (i32.const 16))))))
        (local.set $entry (i32.load16_u offset=12 (local.get $from)))
        (local.set $to (i32.add (local.get $out) (i32.and (local.get $entry) (i32.const 0x7fff))))
        (f32.store (local.get $to)
          (f32.add (f32.load (local.get $to))
            (f32.reinterpret_i32 (i32.xor (local.get $weight) (i32.shl (i32.and (local.get $entry) (i32.const 0x8000)) (i32.const 16))))))
        (local.set $entry (i32.load16_u offset=14 (local.get $from)))
        (local.set $to (i32.add (local.get $out) (i32.and (local.get $entry) (i32.const 0x7fff))))
        (f32.store (local.get $to)
          (f32.add (f32.load (local.get $to))
            (f32.reinterpret_i32 (i32.xor (local.get $weight) (i32.shl (i32.and (local.get $entry) (i32.const 0x8000)) (i32.const 16))))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (local.set $weights (i32.add (local.get $weights) (i32.const 4)))
        (br $next)))
    (local.get $touched))

  ;; Makes $dims floats (a multiple of 4) at $row themselves times $factor, plus those at $other.
  (func (export "blend") (param $row i32) (param $dims i32) (param $factor f32) (param $other i32)
    (local $end i32) (local $by v128)
    (local.set $end (i32.add (local.get $row) (i32.shl (local.get $dims) (i32.const 2))))
    (local.set $by (f32x4.splat (local.get $factor)))
    (loop $along
      (v128.store (local.get $row)
        (f32x4.add (f32x4.mul (local.get $by) (v128.load (local.get $row))) (v128.load (local.get $other))))
      (local.set $row (i32.add (local.get $row) (i32.const 16)))
      (local.set $other (i32.add (local.get $other) (i32.const 16)))
      (br_if $along (i32.lt_u (local.get $row) (local.get $end)))))

  ;; Deals $rows rows of $dims bytes (a multiple of 64) at $from out into blocks of 64 bytes a row: the first of them at $table,
  ;; and so on every $stride bytes. Row i goes where a block has the row whose number is the i-th at $places.
  (func (export "deal") (param $from i32) (param $rows i32) (param $dims i32) (param $places i32) (param $table i32) (param $stride i32)
    (local $rowEnd i32) (local $to i32)
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $rows)))
        (local.set $rowEnd (i32.add (local.get $from) (local.get $dims)))
        (local.set $to (i32.add (local.get $table) (i32.shl (i32.load (local.get $places)) (i32.const 6))))
        (loop $along
          (v128.store (local.get $to) (v128.load (local.get $from)))
          (v128.store offset=16 (local.get $to) (v128.load offset=16 (local.get $from)))
          (v128.store offset=32 (local.get $to) (v128.load offset=32 (local.get $from)))
          (v128.store offset=48 (local.get $to) (v128.load offset=48 (local.get $from)))
          (local.set $to (i32.add (local.get $to) (local.get $stride)))
          (local.set $from (i32.add (local.get $from) (i32.const 64)))
          (br_if $along (i32.lt_u (local.get $from) (local.get $rowEnd))))
        (local.set $places (i32.add (local.get $places) (i32.const 4)))
        (local.set $rows (i32.sub (local.get $rows) (i32.const 1)))
        (br $row))))

  ;; The sum of squares of $dims floats (a multiple of 4) at $row, to $out, and their largest magnitude, after it.
  (func (export "measure") (param $row i32) (param $dims i32) (param $out i32)
    (local $end i32) (local $value v128) (local $squares v128) (local $largest v128)
    (local.set $end (i32.add (local.get $row) (i32.shl (local.get $dims) (i32.const 2))))
    (loop $along
      (local.set $value (v128.load (local.get $row)))
      (local.set $squares (f32x4.add (local.get $squares) (f32x4.mul (local.get $value) (local.get $value))))
      (local.set $largest (f32x4.max (local.get $largest) (f32x4.abs (local.get $value))))
      (local.set $row (i32.add (local.get $row) (i32.const 16)))
      (br_if $along (i32.lt_u (local.get $row) (local.get $end))))
    (f32.store (local.get $out)
      (f32.add
        (f32.add (f32x4.extract_lane 0 (local.get $squares)) (f32x4.extract_lane 1 (local.get $squares)))
        (f32.add (f32x4.extract_lane 2 (local.get $squares)) (f32x4.extract_lane 3 (local.get $squares)))))
    (f32.store offset=4 (local.get $out)
      (f32.max
        (f32.max (f32x4.extract_lane 0 (local.get $largest)) (f32x4.extract_lane 1 (local.get $largest)))
        (f32.max (f32x4.extract_lane 2 (local.get $largest)) (f32x4.extract_lane 3 (local.get $largest))))))

  ;; $dims floats (a multiple of 16) at $row, each times $factor and rounded to even, as signed bytes to $out.
  (func (export "narrow") (param $row i32) (param $dims i32) (param $factor f32) (param $out i32)
    (local $end i32) (local $by v128)
    (local.set $end (i32.add (local.get $out) (local.get $dims)))
    (local.set $by (f32x4.splat (local.get $factor)))
    (loop $along
      (v128.store (local.get $out)
        (i8x16.narrow_i16x8_s
          (i16x8.narrow_i32x4_s
            (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $by) (v128.load (local.get $row)))))
            (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $by) (v128.load offset=16 (local.get $row))))))
          (i16x8.narrow_i32x4_s
            (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $by) (v128.load offset=32 (local.get $row)))))
            (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $by) (v128.load offset=48 (local.get $row))))))))
      (local.set $row (i32.add (local.get $row) (i32.const 64)))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (br_if $along (i32.lt_u (local.get $out) (local.get $end)))))

  ;; Counts $dims signed bytes (a multiple of 16) at $row by magnitude: 129 integers of 32 bits at $out, from magnitude 0 on; after
  ;; them their sum and the sum of their squares. Each fourth byte is counted apart, at $out too, so that counts of equal ones need
  ;; not wait for one another: four tables of 132 integers that are zeros before, and all but the first after.
  (func (export "tally") (param $row i32) (param $dims i32) (param $out i32)
    (local $end i32) (local $word i32) (local $at i32) (local $bytes v128) (local $half v128) (local $sums v128) (local $squares v128)
    (local $to i32)
    (local.set $end (i32.add (local.get $row) (local.get $dims)))
    (local.set $at (local.get $row))
    (loop $along
      (local.set $bytes (i8x16.abs (v128.load (local.get $at))))
      (local.set $half (i16x8.extend_low_i8x16_u (local.get $bytes)))
      (local.set $squares (i32x4.add (local.get $squares) (i32x4.dot_i16x8_s (local.get $half) (local.get $half))))
      (local.set $half (i16x8.extend_high_i8x16_u (local.get $bytes)))
      (local.set $squares (i32x4.add (local.get $squares) (i32x4.dot_i16x8_s (local.get $half) (local.get $half))))
      (local.set $sums
        (i32x4.add (local.get $sums) (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $bytes)))))
      (local.set $word (i32x4.extract_lane 0 (local.get $bytes)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (local.get $word) (i32.const 0xff)) (i32.const 2))))
      (i32.store (local.get $to) (i32.add (i32.load (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (i32.shr_u (local.get $word) (i32.const 8)) (i32.const 0xff)) (i32.const 2))))
      (i32.store offset=528 (local.get $to) (i32.add (i32.load offset=528 (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (i32.shr_u (local.get $word) (i32.const 16)) (i32.const 0xff)) (i32.const 2))))
      (i32.store offset=1056 (local.get $to) (i32.add (i32.load offset=1056 (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.shr_u (local.get $word) (i32.const 24)) (i32.const 2))))
      (i32.store offset=1584 (local.get $to) (i32.add (i32.load offset=1584 (local.get $to)) (i32.const 1)))
      (local.set $word (i32x4.extract_lane 1 (local.get $bytes)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (local.get $word) (i32.const 0xff)) (i32.const 2))))
      (i32.store (local.get $to) (i32.add (i32.load (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (i32.shr_u (local.get $word) (i32.const 8)) (i32.const 0xff)) (i32.const 2))))
      (i32.store offset=528 (local.get $to) (i32.add (i32.load offset=528 (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (i32.shr_u (local.get $word) (i32.const 16)) (i32.const 0xff)) (i32.const 2))))
      (i32.store offset=1056 (local.get $to) (i32.add (i32.load offset=1056 (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.shr_u (local.get $word) (i32.const 24)) (i32.const 2))))
      (i32.store offset=1584 (local.get $to) (i32.add (i32.load offset=1584 (local.get $to)) (i32.const 1)))
      (local.set $word (i32x4.extract_lane 2 (local.get $bytes)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (local.get $word) (i32.const 0xff)) (i32.const 2))))
      (i32.store (local.get $to) (i32.add (i32.load (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (i32.shr_u (local.get $word) (i32.const 8)) (i32.const 0xff)) (i32.const 2))))
      (i32.store offset=528 (local.get $to) (i32.add (i32.load offset=528 (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (i32.shr_u (local.get $word) (i32.const 16)) (i32.const 0xff)) (i32.const 2))))
      (i32.store offset=1056 (local.get $to) (i32.add (i32.load offset=1056 (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.shr_u (local.get $word) (i32.const 24)) (i32.const 2))))
      (i32.store offset=1584 (local.get $to) (i32.add (i32.load offset=1584 (local.get $to)) (i32.const 1)))
      (local.set $word (i32x4.extract_lane 3 (local.get $bytes)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (local.get $word) (i32.const 0xff)) (i32.const 2))))
      (i32.store (local.get $to) (i32.add (i32.load (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (i32.shr_u (local.get $word) (i32.const 8)) (i32.const 0xff)) (i32.const 2))))
      (i32.store offset=528 (local.get $to) (i32.add (i32.load offset=528 (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.and (i32.shr_u (local.get $word) (i32.const 16)) (i32.const 0xff)) (i32.const 2))))
      (i32.store offset=1056 (local.get $to) (i32.add (i32.load offset=1056 (local.get $to)) (i32.const 1)))
      (local.set $to (i32.add (local.get $out) (i32.shl (i32.shr_u (local.get $word) (i32.const 24)) (i32.const 2))))
      (i32.store offset=1584 (local.get $to) (i32.add (i32.load offset=1584 (local.get $to)) (i32.const 1)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $along (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $at (local.get $out))
    (local.set $end (i32.add (local.get $out) (i32.const 528)))
    (loop $add
      (v128.store (local.get $at)
        (i32x4.add
          (i32x4.add (v128.load (local.get $at)) (v128.load offset=528 (local.get $at)))
          (i32x4.add (v128.load offset=1056 (local.get $at)) (v128.load offset=1584 (local.get $at)))))
      (v128.store offset=528 (local.get $at) (v128.const i32x4 0 0 0 0))
      (v128.store offset=1056 (local.get $at) (v128.const i32x4 0 0 0 0))
      (v128.store offset=1584 (local.get $at) (v128.const i32x4 0 0 0 0))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $add (i32.lt_u (local.get $at) (local.get $end))))
    (i32.store offset=516 (local.get $out)
      (i32.add
        (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
        (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))
    (i32.store offset=520 (local.get $out)
      (i32.add
        (i32.add (i32x4.extract_lane 0 (local.get $squares)) (i32x4.extract_lane 1 (local.get $squares)))
        (i32.add (i32x4.extract_lane 2 (local.get $squares)) (i32x4.extract_lane 3 (local.get $squares))))))

  ;; The signs of $dims signed bytes (a multiple of 16) at $row as bits at $out, 1 for those that are not negative.
  (func (export "signs") (param $row i32) (param $dims i32) (param $out i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $row) (local.get $dims)))
    (loop $along
      (i32.store16 (local.get $out) (i32.xor (i8x16.bitmask (v128.load (local.get $row))) (i32.const 0xffff)))
      (local.set $row (i32.add (local.get $row) (i32.const 16)))
      (local.set $out (i32.add (local.get $out) (i32.const 2)))
      (br_if $along (i32.lt_u (local.get $row) (local.get $end)))))

  ;; $dims signed bytes (a multiple of 16) at $row as codes of 2 bits at $out: 0 and 3 for those of magnitude $from or more, 1 and 2
  ;; for others, the smaller of each for negative ones.
  (func (export "codes") (param $row i32) (param $dims i32) (param $from i32) (param $out i32)
    (local $end i32) (local $bytes v128) (local $least v128) (local $negative i32) (local $odd i32)
    (local.set $end (i32.add (local.get $row) (local.get $dims)))
    (local.set $least (i8x16.splat (local.get $from)))
    (loop $along
      (local.set $bytes (v128.load (local.get $row)))
      (local.set $negative (i8x16.bitmask (local.get $bytes)))
      (local.set $odd
        (i32.xor (local.get $negative) (i8x16.bitmask (i8x16.ge_u (i8x16.abs (local.get $bytes)) (local.get $least)))))
      (local.set $negative (i32.xor (local.get $negative) (i32.const 0xffff)))
      (i32.store (local.get $out)
        (i32.or (call $apart (local.get $odd)) (i32.shl (call $apart (local.get $negative)) (i32.const 1))))
      (local.set $row (i32.add (local.get $row) (i32.const 16)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $along (i32.lt_u (local.get $row) (local.get $end)))))

  ;; 16 bits with a zero after each.
  (func $apart (param $bits i32) (result i32)
    (local.set $bits (i32.and (i32.or (local.get $bits) (i32.shl (local.get $bits) (i32.const 8))) (i32.const 0x00ff00ff)))
    (local.set $bits (i32.and (i32.or (local.get $bits) (i32.shl (local.get $bits) (i32.const 4))) (i32.const 0x0f0f0f0f)))
    (local.set $bits (i32.and (i32.or (local.get $bits) (i32.shl (local.get $bits) (i32.const 2))) (i32.const 0x33333333)))
    (i32.and (i32.or (local.get $bits) (i32.shl (local.get $bits) (i32.const 1))) (i32.const 0x55555555)))

  ;; Lists those of $dims signed bytes (a multiple of 16) at $row whose magnitude is $least or more, as bits at $out, which are ones
  ;; before: for each the gap before it, as many ones as there are fours in it and a zero, then the rest in 2 bits and its sign, 1
  ;; if it is not negative. Returns how many bits they take. Clears a byte after the last at most.
  (func (export "list") (param $row i32) (param $dims i32) (param $least i32) (param $out i32) (result i32)
    (local $at i32) (local $bytes v128) (local $by v128) (local $found i32) (local $negative i32) (local $place i32) (local $gap i32)
    (local $next i32) (local $bit i32) (local $to i32)
    (local.set $by (i8x16.splat (local.get $least)))
    (loop $along
      (local.set $bytes (v128.load (i32.add (local.get $row) (local.get $at))))
      (local.set $found (i8x16.bitmask (i8x16.ge_u (i8x16.abs (local.get $bytes)) (local.get $by))))
      (local.set $negative (i8x16.bitmask (local.get $bytes)))
      (block $none
        (loop $each
          (br_if $none (i32.eqz (local.get $found)))
          (local.set $place (i32.ctz (local.get $found)))
          (local.set $found (i32.and (local.get $found) (i32.sub (local.get $found) (i32.const 1))))
          (local.set $gap (i32.sub (i32.add (local.get $at) (local.get $place)) (local.get $next)))
          (local.set $next (i32.add (i32.add (local.get $at) (local.get $place)) (i32.const 1)))
          (local.set $bit (i32.add (local.get $bit) (i32.shr_u (local.get $gap) (i32.const 2))))
          (local.set $to (i32.add (local.get $out) (i32.shr_u (local.get $bit) (i32.const 3))))
          (i32.store16 (local.get $to)
            (i32.and
              (i32.load16_u (local.get $to))
              (i32.xor
                (i32.shl
                  (i32.or
                    (i32.or
                      (i32.const 1)
                      (i32.shl (i32.and (i32.xor (local.get $gap) (i32.const 3)) (i32.const 3)) (i32.const 1)))
                    (i32.shl
                      (i32.and (i32.shr_u (local.get $negative) (local.get $place)) (i32.const 1))
                      (i32.const 3)))
                  (i32.and (local.get $bit) (i32.const 7)))
                (i32.const 0xffff))))
          (local.set $bit (i32.add (local.get $bit) (i32.const 4)))
          (br $each)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $along (i32.lt_u (local.get $at) (local.get $dims))))
    (local.get $bit))
)
