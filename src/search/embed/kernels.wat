(module
  (memory (export "memory") 1)

  ;; Adds $count rows of a table of signed bytes, $dims (a multiple of 16) each, to the floats at $out: row i of the list at
  ;; $rows times weight i of the list at $weights. Sums run in the order of the list.
  (func (export "gather") (param $rows i32) (param $weights i32) (param $count i32) (param $table i32) (param $dims i32) (param $out i32)
    (local $end i32) (local $row i32) (local $rowEnd i32) (local $to i32) (local $weight v128)
    (local $bytes v128) (local $low v128) (local $high v128)
    (local.set $end (i32.add (local.get $rows) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
        (local.set $row (i32.add (local.get $table) (i32.mul (i32.load (local.get $rows)) (local.get $dims))))
        (local.set $rowEnd (i32.add (local.get $row) (local.get $dims)))
        (local.set $weight (f32x4.splat (f32.load (local.get $weights))))
        (local.set $to (local.get $out))
        (loop $along
          (local.set $bytes (v128.load (local.get $row)))
          (local.set $low (i16x8.extend_low_i8x16_s (local.get $bytes)))
          (local.set $high (i16x8.extend_high_i8x16_s (local.get $bytes)))
          (v128.store (local.get $to)
            (f32x4.add (v128.load (local.get $to))
              (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $low))))))
          (v128.store offset=16 (local.get $to)
            (f32x4.add (v128.load offset=16 (local.get $to))
              (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $low))))))
          (v128.store offset=32 (local.get $to)
            (f32x4.add (v128.load offset=32 (local.get $to))
              (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $high))))))
          (v128.store offset=48 (local.get $to)
            (f32x4.add (v128.load offset=48 (local.get $to))
              (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $high))))))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (local.set $to (i32.add (local.get $to) (i32.const 64)))
          (br_if $along (i32.lt_u (local.get $row) (local.get $rowEnd))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (local.set $weights (i32.add (local.get $weights) (i32.const 4)))
        (br $next))))

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
      (br_if $along (i32.lt_u (local.get $out) (local.get $end))))))
