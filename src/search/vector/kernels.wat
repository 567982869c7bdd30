(module
  (memory (export "memory") 1)

  ;; Sum of four lanes.
  (func $sum (param $v v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $v)) (i32x4.extract_lane 1 (local.get $v)))
      (i32.add (i32x4.extract_lane 2 (local.get $v)) (i32x4.extract_lane 3 (local.get $v)))))

  ;; The upper two bits of each byte's lower half four bits up from the lower two.
  (func $spread (param $v v128) (result v128)
    (v128.or
      (v128.and (local.get $v) (v128.const i32x4 0x03030303 0x03030303 0x03030303 0x03030303))
      (i32x4.shl (v128.and (local.get $v) (v128.const i32x4 0x0c0c0c0c 0x0c0c0c0c 0x0c0c0c0c 0x0c0c0c0c)) (i32.const 2))))

  ;; Sums of table entries for each of some rows. Planes hold 2 bits a row: sixteen bytes for every 64 rows, of which byte i has those of
  ;; rows i, 16 + i, 32 + i and 48 + i, the first in its lowest bits. The rows' part of a plane is $planeBytes bytes (a multiple of 16);
  ;; that of the first plane is at $planes. At $offsets, $units pairs of integers (a multiple of four) say how far behind it two planes
  ;; have theirs: what the first has for a row, and four times what the second has, is an index into a table of sixteen bytes; the
  ;; tables stand at $tables. One 16-bit sum a row to $sums; the caller sees to it that no sum passes 65535, and none of four units in a
  ;; row passes 255.
  ;;
  ;; Four units are read at a time, each plane from its start to its end, as memory is read fastest; meanwhile $sums holds what the rows
  ;; have so far, those of 64 rows as the lanes of eight vectors.
  (func (export "sumColumns") (param $planes i32) (param $planeBytes i32) (param $offsets i32) (param $units i32) (param $tables i32) (param $sums i32)
    (local $unit i32) (local $unitEnd i32) (local $part i32) (local $to i32)
    (local $plane0 i32) (local $plane1 i32) (local $plane2 i32) (local $plane3 i32) (local $plane4 i32) (local $plane5 i32) (local $plane6 i32) (local $plane7 i32)
    (local $one v128) (local $two v128) (local $both v128) (local $entries v128)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local $odd0 v128) (local $odd1 v128) (local $odd2 v128) (local $odd3 v128)
    (local.set $unit (local.get $offsets))
    (local.set $unitEnd (i32.add (local.get $offsets) (i32.shl (local.get $units) (i32.const 3))))
    (loop $nextFour
      (local.set $plane0 (i32.add (local.get $planes) (i32.load (local.get $unit))))
      (local.set $plane1 (i32.add (local.get $planes) (i32.load offset=4 (local.get $unit))))
      (local.set $plane2 (i32.add (local.get $planes) (i32.load offset=8 (local.get $unit))))
      (local.set $plane3 (i32.add (local.get $planes) (i32.load offset=12 (local.get $unit))))
      (local.set $plane4 (i32.add (local.get $planes) (i32.load offset=16 (local.get $unit))))
      (local.set $plane5 (i32.add (local.get $planes) (i32.load offset=20 (local.get $unit))))
      (local.set $plane6 (i32.add (local.get $planes) (i32.load offset=24 (local.get $unit))))
      (local.set $plane7 (i32.add (local.get $planes) (i32.load offset=28 (local.get $unit))))
      (local.set $part (i32.const 0))
      (local.set $to (local.get $sums))
      (loop $nextPart
        (local.set $one (v128.load (i32.add (local.get $part) (local.get $plane0))))
        (local.set $two (v128.load (i32.add (local.get $part) (local.get $plane1))))
        (local.set $entries (v128.load (local.get $tables)))
        (local.set $both (v128.or
          (v128.and (local.get $one) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))
          (i32x4.shl (v128.and (local.get $two) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333)) (i32.const 2))))
        (local.set $sum0 (i8x16.swizzle (local.get $entries) (v128.and (local.get $both) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
        (local.set $sum2 (i8x16.swizzle (local.get $entries) (v128.and (i32x4.shr_u (local.get $both) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
        (local.set $both (v128.or
          (v128.and (i32x4.shr_u (local.get $one) (i32.const 2)) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))
          (v128.andnot (local.get $two) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))))
        (local.set $sum1 (i8x16.swizzle (local.get $entries) (v128.and (local.get $both) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
        (local.set $sum3 (i8x16.swizzle (local.get $entries) (v128.and (i32x4.shr_u (local.get $both) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
        (local.set $one (v128.load (i32.add (local.get $part) (local.get $plane2))))
        (local.set $two (v128.load (i32.add (local.get $part) (local.get $plane3))))
        (local.set $entries (v128.load offset=16 (local.get $tables)))
        (local.set $both (v128.or
          (v128.and (local.get $one) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))
          (i32x4.shl (v128.and (local.get $two) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333)) (i32.const 2))))
        (local.set $sum0 (i8x16.add (local.get $sum0) (i8x16.swizzle (local.get $entries) (v128.and (local.get $both) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $sum2 (i8x16.add (local.get $sum2) (i8x16.swizzle (local.get $entries) (v128.and (i32x4.shr_u (local.get $both) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $both (v128.or
          (v128.and (i32x4.shr_u (local.get $one) (i32.const 2)) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))
          (v128.andnot (local.get $two) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))))
        (local.set $sum1 (i8x16.add (local.get $sum1) (i8x16.swizzle (local.get $entries) (v128.and (local.get $both) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $sum3 (i8x16.add (local.get $sum3) (i8x16.swizzle (local.get $entries) (v128.and (i32x4.shr_u (local.get $both) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $one (v128.load (i32.add (local.get $part) (local.get $plane4))))
        (local.set $two (v128.load (i32.add (local.get $part) (local.get $plane5))))
        (local.set $entries (v128.load offset=32 (local.get $tables)))
        (local.set $both (v128.or
          (v128.and (local.get $one) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))
          (i32x4.shl (v128.and (local.get $two) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333)) (i32.const 2))))
        (local.set $sum0 (i8x16.add (local.get $sum0) (i8x16.swizzle (local.get $entries) (v128.and (local.get $both) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $sum2 (i8x16.add (local.get $sum2) (i8x16.swizzle (local.get $entries) (v128.and (i32x4.shr_u (local.get $both) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $both (v128.or
          (v128.and (i32x4.shr_u (local.get $one) (i32.const 2)) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))
          (v128.andnot (local.get $two) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))))
        (local.set $sum1 (i8x16.add (local.get $sum1) (i8x16.swizzle (local.get $entries) (v128.and (local.get $both) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $sum3 (i8x16.add (local.get $sum3) (i8x16.swizzle (local.get $entries) (v128.and (i32x4.shr_u (local.get $both) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $one (v128.load (i32.add (local.get $part) (local.get $plane6))))
        (local.set $two (v128.load (i32.add (local.get $part) (local.get $plane7))))
        (local.set $entries (v128.load offset=48 (local.get $tables)))
        (local.set $both (v128.or
          (v128.and (local.get $one) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))
          (i32x4.shl (v128.and (local.get $two) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333)) (i32.const 2))))
        (local.set $sum0 (i8x16.add (local.get $sum0) (i8x16.swizzle (local.get $entries) (v128.and (local.get $both) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $sum2 (i8x16.add (local.get $sum2) (i8x16.swizzle (local.get $entries) (v128.and (i32x4.shr_u (local.get $both) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $both (v128.or
          (v128.and (i32x4.shr_u (local.get $one) (i32.const 2)) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))
          (v128.andnot (local.get $two) (v128.const i32x4 0x33333333 0x33333333 0x33333333 0x33333333))))
        (local.set $sum1 (i8x16.add (local.get $sum1) (i8x16.swizzle (local.get $entries) (v128.and (local.get $both) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $sum3 (i8x16.add (local.get $sum3) (i8x16.swizzle (local.get $entries) (v128.and (i32x4.shr_u (local.get $both) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        ;; Sums of the even bytes' lanes take the odd bytes in, 256-fold; these are taken out below.
        (local.set $odd0 (i16x8.shr_u (local.get $sum0) (i32.const 8)))
        (local.set $odd1 (i16x8.shr_u (local.get $sum1) (i32.const 8)))
        (local.set $odd2 (i16x8.shr_u (local.get $sum2) (i32.const 8)))
        (local.set $odd3 (i16x8.shr_u (local.get $sum3) (i32.const 8)))
        (if (i32.ne (local.get $unit) (local.get $offsets))
          (then
            (local.set $sum0 (i16x8.add (local.get $sum0) (v128.load (local.get $to))))
            (local.set $odd0 (i16x8.add (local.get $odd0) (v128.load offset=16 (local.get $to))))
            (local.set $sum1 (i16x8.add (local.get $sum1) (v128.load offset=32 (local.get $to))))
            (local.set $odd1 (i16x8.add (local.get $odd1) (v128.load offset=48 (local.get $to))))
            (local.set $sum2 (i16x8.add (local.get $sum2) (v128.load offset=64 (local.get $to))))
            (local.set $odd2 (i16x8.add (local.get $odd2) (v128.load offset=80 (local.get $to))))
            (local.set $sum3 (i16x8.add (local.get $sum3) (v128.load offset=96 (local.get $to))))
            (local.set $odd3 (i16x8.add (local.get $odd3) (v128.load offset=112 (local.get $to))))))
        (if (i32.eq (i32.add (local.get $unit) (i32.const 32)) (local.get $unitEnd))
          (then
            (local.set $sum0 (i16x8.sub (local.get $sum0) (i16x8.shl (local.get $odd0) (i32.const 8))))
            (v128.store (local.get $to)
              (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $sum0) (local.get $odd0)))
            (v128.store offset=16 (local.get $to)
              (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $sum0) (local.get $odd0)))
            (local.set $sum1 (i16x8.sub (local.get $sum1) (i16x8.shl (local.get $odd1) (i32.const 8))))
            (v128.store offset=32 (local.get $to)
              (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $sum1) (local.get $odd1)))
            (v128.store offset=48 (local.get $to)
              (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $sum1) (local.get $odd1)))
            (local.set $sum2 (i16x8.sub (local.get $sum2) (i16x8.shl (local.get $odd2) (i32.const 8))))
            (v128.store offset=64 (local.get $to)
              (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $sum2) (local.get $odd2)))
            (v128.store offset=80 (local.get $to)
              (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $sum2) (local.get $odd2)))
            (local.set $sum3 (i16x8.sub (local.get $sum3) (i16x8.shl (local.get $odd3) (i32.const 8))))
            (v128.store offset=96 (local.get $to)
              (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $sum3) (local.get $odd3)))
            (v128.store offset=112 (local.get $to)
              (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $sum3) (local.get $odd3))))
          (else
            (v128.store (local.get $to) (local.get $sum0))
            (v128.store offset=16 (local.get $to) (local.get $odd0))
            (v128.store offset=32 (local.get $to) (local.get $sum1))
            (v128.store offset=48 (local.get $to) (local.get $odd1))
            (v128.store offset=64 (local.get $to) (local.get $sum2))
            (v128.store offset=80 (local.get $to) (local.get $odd2))
            (v128.store offset=96 (local.get $to) (local.get $sum3))
            (v128.store offset=112 (local.get $to) (local.get $odd3))))
        (local.set $to (i32.add (local.get $to) (i32.const 128)))
        (local.set $part (i32.add (local.get $part) (i32.const 16)))
        (br_if $nextPart (i32.lt_u (local.get $part) (local.get $planeBytes))))
      (local.set $tables (i32.add (local.get $tables) (i32.const 64)))
      (local.set $unit (i32.add (local.get $unit) (i32.const 32)))
      (br_if $nextFour (i32.lt_u (local.get $unit) (local.get $unitEnd)))))

  ;; Places of the 16-bit sums at $sums, $count of them (a multiple of 8), that are $least or more: ascending 32-bit integers
  ;; to $out. Returns how many there are.
  (func (export "sumsFrom") (param $sums i32) (param $count i32) (param $least i32) (param $out i32) (result i32)
    (local $place i32) (local $mask i32) (local $to i32) (local $floor v128) (local $there v128)
    (local.set $floor (i16x8.splat (local.get $least)))
    (local.set $to (local.get $out))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $place) (local.get $count)))
        (local.set $there (i16x8.ge_u
          (v128.load (i32.add (local.get $sums) (i32.shl (local.get $place) (i32.const 1)))) (local.get $floor)))
        (if (v128.any_true (local.get $there))
          (then
            (local.set $mask (i16x8.bitmask (local.get $there)))
            (loop $bits
              (i32.store (local.get $to) (i32.add (local.get $place) (i32.ctz (local.get $mask))))
              (local.set $to (i32.add (local.get $to) (i32.const 4)))
              (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
              (br_if $bits (local.get $mask)))))
        (local.set $place (i32.add (local.get $place) (i32.const 8)))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $to) (local.get $out)) (i32.const 2)))

  ;; Codes of 64 vectors of 1536 signed bytes and a 32-bit float each, one every 1540 bytes at $rows: of each of $dims dimensions from
  ;; $first on (both multiples of 16), what the 64 bytes at $cells have for the whole part of byte times float times factor plus added
  ;; number, within 0 to 63, in single precision. At $factors are the factors, a 32-bit float a dimension, at $added the added numbers. The
  ;; codes go to planes of 2 bits a row as $sumColumns reads them, $planeBytes bytes each: at $codes stand sixteen bytes of the upper bits of
  ;; dimension 0, in the next plane those of its lower bits, then those of dimension 1. $desk has room for 1536 bytes.
  ;;
  ;; Numbers are neither clamped nor rounded down one by one: from 64 to 128 a float has its whole part in the upper 6 bits of its
  ;; fraction. The number just below 64 is added: a sum that lies half-way between two floats, as that of a whole number does, goes to
  ;; the even one, which is the whole number above, and any sum less than that goes below it. What is beyond has larger or smaller bits.
  (func (export "codeRows") (param $rows i32) (param $first i32) (param $dims i32) (param $factors i32) (param $added i32) (param $cells i32) (param $desk i32) (param $codes i32) (param $planeBytes i32)
    (local $end i32) (local $row i32) (local $rowEnd i32) (local $scales i32) (local $from i32) (local $to i32) (local $toEnd i32) (local $step i32)
    (local $low v128) (local $high v128) (local $scale v128) (local $found v128)
    (local $cells0 v128) (local $cells1 v128) (local $cells2 v128) (local $cells3 v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $x v128) (local $y v128)
    ;; The upper bits of each code four bits up, the lower ones where they are: codes of other rows go between them.
    (local.set $cells0 (call $spread (v128.load (local.get $cells)))) (local.set $cells1 (call $spread (v128.load offset=16 (local.get $cells))))
    (local.set $cells2 (call $spread (v128.load offset=32 (local.get $cells)))) (local.set $cells3 (call $spread (v128.load offset=48 (local.get $cells))))
    (local.set $step (i32.shl (local.get $planeBytes) (i32.const 1)))
    (local.set $codes (i32.add (local.get $codes) (i32.mul (local.get $first) (local.get $step))))
    (local.set $factors (i32.add (local.get $factors) (i32.shl (local.get $first) (i32.const 2))))
    (local.set $added (i32.add (local.get $added) (i32.shl (local.get $first) (i32.const 2))))
    (local.set $scales (i32.sub (i32.const 1536) (local.get $first)))
    (local.set $rows (i32.add (local.get $rows) (local.get $first)))
    (local.set $end (i32.add (local.get $rows) (local.get $dims)))
    (loop $next
      ;; Sixteen dimensions of a row after the other.
      (local.set $row (local.get $rows))
      (local.set $rowEnd (i32.add (local.get $rows) (i32.const 98560)))
      (local.set $to (local.get $desk))
      (loop $nextRow
        (local.set $scale (v128.load32_splat (i32.add (local.get $row) (local.get $scales))))
        (local.set $low (v128.load8x8_s (local.get $row)))
        (local.set $high (v128.load8x8_s offset=8 (local.get $row)))
        (local.set $found (i8x16.min_u
          (i8x16.narrow_i16x8_u
            (i16x8.sub (i16x8.narrow_i32x4_s
              (i32x4.shr_s (f32x4.add (f32x4.add (f32x4.mul (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $low))) (local.get $scale))
                (v128.load (local.get $factors))) (v128.load (local.get $added))) (v128.const i32x4 0x427fffff 0x427fffff 0x427fffff 0x427fffff)) (i32.const 17))
              (i32x4.shr_s (f32x4.add (f32x4.add (f32x4.mul (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $low))) (local.get $scale))
                (v128.load offset=16 (local.get $factors))) (v128.load offset=16 (local.get $added))) (v128.const i32x4 0x427fffff 0x427fffff 0x427fffff 0x427fffff)) (i32.const 17)))
              (v128.const i32x4 0x21402140 0x21402140 0x21402140 0x21402140))
            (i16x8.sub (i16x8.narrow_i32x4_s
              (i32x4.shr_s (f32x4.add (f32x4.add (f32x4.mul (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $high))) (local.get $scale))
                (v128.load offset=32 (local.get $factors))) (v128.load offset=32 (local.get $added))) (v128.const i32x4 0x427fffff 0x427fffff 0x427fffff 0x427fffff)) (i32.const 17))
              (i32x4.shr_s (f32x4.add (f32x4.add (f32x4.mul (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $high))) (local.get $scale))
                (v128.load offset=48 (local.get $factors))) (v128.load offset=48 (local.get $added))) (v128.const i32x4 0x427fffff 0x427fffff 0x427fffff 0x427fffff)) (i32.const 17)))
              (v128.const i32x4 0x21402140 0x21402140 0x21402140 0x21402140)))
          (v128.const i32x4 0x3f3f3f3f 0x3f3f3f3f 0x3f3f3f3f 0x3f3f3f3f)))
        ;; A swizzle gives 0 for what is not within its sixteen entries.
        (v128.store (local.get $to) (v128.or
          (v128.or
            (i8x16.swizzle (local.get $cells0) (local.get $found))
            (i8x16.swizzle (local.get $cells1)
              (i8x16.sub (local.get $found) (v128.const i32x4 0x10101010 0x10101010 0x10101010 0x10101010))))
          (v128.or
            (i8x16.swizzle (local.get $cells2)
              (i8x16.sub (local.get $found) (v128.const i32x4 0x20202020 0x20202020 0x20202020 0x20202020)))
            (i8x16.swizzle (local.get $cells3)
              (i8x16.sub (local.get $found) (v128.const i32x4 0x30303030 0x30303030 0x30303030 0x30303030))))))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (local.set $row (i32.add (local.get $row) (i32.const 1540)))
        (br_if $nextRow (i32.lt_u (local.get $row) (local.get $rowEnd))))
      ;; Rows i, 16 + i, 32 + i and 48 + i share a byte: sixteen vectors of upper bits, then as many of lower ones.
      (local.set $from (local.get $desk))
      (local.set $toEnd (i32.add (local.get $desk) (i32.const 256)))
      (loop $nextFour
        (local.set $a (v128.or (v128.load (local.get $from)) (i32x4.shl (v128.load offset=256 (local.get $from)) (i32.const 2))))
        (local.set $b (v128.or (v128.load offset=512 (local.get $from)) (i32x4.shl (v128.load offset=768 (local.get $from)) (i32.const 2))))
        (v128.store offset=1024 (local.get $from) (v128.or
          (v128.and (i32x4.shr_u (local.get $a) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))
          (v128.and (local.get $b) (v128.const i32x4 0xf0f0f0f0 0xf0f0f0f0 0xf0f0f0f0 0xf0f0f0f0))))
        (v128.store offset=1280 (local.get $from) (v128.or
          (v128.and (local.get $a) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))
          (i32x4.shl (v128.and (local.get $b) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)) (i32.const 4))))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (br_if $nextFour (i32.lt_u (local.get $from) (local.get $toEnd))))
      ;; Both sixteens are turned, so that a vector has a dimension of sixteen rows: four times, vectors eight apart are merged, two rounds at once.
      (local.set $from (i32.add (local.get $desk) (i32.const 1024)))
      (local.set $to (local.get $desk))
      (local.set $toEnd (i32.add (local.get $desk) (i32.const 512)))
      (loop $nextMerged
        (local.set $a (v128.load (local.get $from))) (local.set $b (v128.load offset=64 (local.get $from)))
        (local.set $c (v128.load offset=128 (local.get $from))) (local.set $d (v128.load offset=192 (local.get $from)))
        (local.set $x (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $a) (local.get $c)))
        (local.set $y (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $b) (local.get $d)))
        (v128.store (local.get $to) (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $x) (local.get $y)))
        (v128.store offset=16 (local.get $to) (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $x) (local.get $y)))
        (local.set $x (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $a) (local.get $c)))
        (local.set $y (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $b) (local.get $d)))
        (v128.store offset=32 (local.get $to) (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $x) (local.get $y)))
        (v128.store offset=48 (local.get $to) (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $x) (local.get $y)))
        (local.set $to (i32.add (local.get $to) (i32.const 64)))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        ;; From one sixteen to the next.
        (if (i32.eq (local.get $to) (i32.add (local.get $desk) (i32.const 256)))
          (then (local.set $from (i32.add (local.get $from) (i32.const 192)))))
        (br_if $nextMerged (i32.lt_u (local.get $to) (local.get $toEnd))))
      (local.set $from (local.get $desk))
      (local.set $to (local.get $codes))
      (loop $nextTurned
        (local.set $a (v128.load (local.get $from))) (local.set $b (v128.load offset=64 (local.get $from)))
        (local.set $c (v128.load offset=128 (local.get $from))) (local.set $d (v128.load offset=192 (local.get $from)))
        (local.set $x (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $a) (local.get $c)))
        (local.set $y (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $b) (local.get $d)))
        (v128.store (local.get $to) (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $x) (local.get $y)))
        (local.set $to (i32.add (local.get $to) (local.get $step)))
        (v128.store (local.get $to) (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $x) (local.get $y)))
        (local.set $to (i32.add (local.get $to) (local.get $step)))
        (local.set $x (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $a) (local.get $c)))
        (local.set $y (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $b) (local.get $d)))
        (v128.store (local.get $to) (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $x) (local.get $y)))
        (local.set $to (i32.add (local.get $to) (local.get $step)))
        (v128.store (local.get $to) (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $x) (local.get $y)))
        (local.set $to (i32.add (local.get $to) (local.get $step)))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (if (i32.eq (local.get $from) (i32.add (local.get $desk) (i32.const 64)))
          (then
            (local.set $from (i32.add (local.get $from) (i32.const 192)))
            (local.set $to (i32.add (local.get $codes) (local.get $planeBytes)))))
        (br_if $nextTurned (i32.lt_u (local.get $from) (i32.add (local.get $desk) (i32.const 320)))))
      (local.set $codes (i32.add (local.get $codes) (i32.shl (local.get $step) (i32.const 4))))
      (local.set $factors (i32.add (local.get $factors) (i32.const 64)))
      (local.set $added (i32.add (local.get $added) (i32.const 64)))
      (local.set $scales (i32.sub (local.get $scales) (i32.const 16)))
      (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $rows) (local.get $end)))))

  ;; Dot products of four vectors of $dims signed bytes ($dims a multiple of 16) with a query of 16-bit integers, each times the
  ;; 32-bit float behind the vector's bytes, in double precision; the caller sees to it that no sum passes 31 bits. Four doubles
  ;; to $scores.
  (func $dotBytes (param $c0 i32) (param $c1 i32) (param $c2 i32) (param $c3 i32) (param $query i32) (param $dims i32) (param $scores i32)
    (local $end i32) (local $q0 v128) (local $q1 v128)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local.set $end (i32.add (local.get $c0) (local.get $dims)))
    (loop $next
      (local.set $q0 (v128.load (local.get $query)))
      (local.set $q1 (v128.load offset=16 (local.get $query)))
      (local.set $s0 (i32x4.add (local.get $s0) (i32x4.add
        (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $c0)) (local.get $q0))
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $c0)) (local.get $q1)))))
      (local.set $s1 (i32x4.add (local.get $s1) (i32x4.add
        (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $c1)) (local.get $q0))
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $c1)) (local.get $q1)))))
      (local.set $s2 (i32x4.add (local.get $s2) (i32x4.add
        (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $c2)) (local.get $q0))
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $c2)) (local.get $q1)))))
      (local.set $s3 (i32x4.add (local.get $s3) (i32x4.add
        (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $c3)) (local.get $q0))
        (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $c3)) (local.get $q1)))))
      (local.set $query (i32.add (local.get $query) (i32.const 32)))
      (local.set $c1 (i32.add (local.get $c1) (i32.const 16)))
      (local.set $c2 (i32.add (local.get $c2) (i32.const 16)))
      (local.set $c3 (i32.add (local.get $c3) (i32.const 16)))
      (local.set $c0 (i32.add (local.get $c0) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $c0) (local.get $end))))
    (f64.store (local.get $scores)
      (f64.mul (f64.convert_i32_s (call $sum (local.get $s0))) (f64.promote_f32 (f32.load (local.get $c0)))))
    (f64.store offset=8 (local.get $scores)
      (f64.mul (f64.convert_i32_s (call $sum (local.get $s1))) (f64.promote_f32 (f32.load (local.get $c1)))))
    (f64.store offset=16 (local.get $scores)
      (f64.mul (f64.convert_i32_s (call $sum (local.get $s2))) (f64.promote_f32 (f32.load (local.get $c2)))))
    (f64.store offset=24 (local.get $scores)
      (f64.mul (f64.convert_i32_s (call $sum (local.get $s3))) (f64.promote_f32 (f32.load (local.get $c3))))))

  ;; Scores $count vectors (a multiple of 4) of $dims signed bytes and a scale each, one every $stride bytes, whose numbers stand as
  ;; 32-bit integers at $rows; one double a vector to $scores.
  (func (export "scoreBytes") (param $bytes i32) (param $stride i32) (param $rows i32) (param $count i32) (param $dims i32) (param $query i32) (param $scores i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $scores) (i32.shl (local.get $count) (i32.const 3))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $scores) (local.get $end)))
        (call $dotBytes
          (i32.add (local.get $bytes) (i32.mul (i32.load (local.get $rows)) (local.get $stride)))
          (i32.add (local.get $bytes) (i32.mul (i32.load offset=4 (local.get $rows)) (local.get $stride)))
          (i32.add (local.get $bytes) (i32.mul (i32.load offset=8 (local.get $rows)) (local.get $stride)))
          (i32.add (local.get $bytes) (i32.mul (i32.load offset=12 (local.get $rows)) (local.get $stride)))
          (local.get $query) (local.get $dims) (local.get $scores))
        (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
        (local.set $scores (i32.add (local.get $scores) (i32.const 32)))
        (br $next))))

  ;; Writes the $dims signed bytes (a multiple of 16) at $stored, each times the 32-bit float behind them, as floats to $out.
  (func (export "readBytes") (param $stored i32) (param $dims i32) (param $out i32)
    (local $end i32) (local $scale v128) (local $bytes v128)
    (local.set $end (i32.add (local.get $stored) (local.get $dims)))
    (local.set $scale (v128.load32_splat (local.get $end)))
    (loop $next
      (local.set $bytes (v128.load8x8_s (local.get $stored)))
      (v128.store (local.get $out)
        (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $bytes)))))
      (v128.store offset=16 (local.get $out)
        (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $bytes)))))
      (local.set $bytes (v128.load8x8_s offset=8 (local.get $stored)))
      (v128.store offset=32 (local.get $out)
        (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $bytes)))))
      (v128.store offset=48 (local.get $out)
        (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $bytes)))))
      (local.set $out (i32.add (local.get $out) (i32.const 64)))
      (local.set $stored (i32.add (local.get $stored) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $stored) (local.get $end)))))

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
