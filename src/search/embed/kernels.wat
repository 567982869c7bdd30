(module
  (memory (export "memory") 1)

  ;; Adds to $count rows of a table of floats, $dims (a multiple of 4) each: row i of the list at $rows gains weight i of the
  ;; list at $weights times the vector at $vector.
  (func (export "spread") (param $rows i32) (param $weights i32) (param $count i32) (param $table i32) (param $dims i32) (param $vector i32)
    (local $end i32) (local $pitch i32) (local $row i32) (local $rowEnd i32) (local $from i32) (local $weight v128)
    (local.set $end (i32.add (local.get $rows) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $pitch (i32.shl (local.get $dims) (i32.const 2)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
        (local.set $row (i32.add (local.get $table) (i32.mul (i32.load (local.get $rows)) (local.get $pitch))))
        (local.set $rowEnd (i32.add (local.get $row) (local.get $pitch)))
        (local.set $weight (f32x4.splat (f32.load (local.get $weights))))
        (local.set $from (local.get $vector))
        (loop $along
          (v128.store (local.get $row)
            (f32x4.add (v128.load (local.get $row))
              (f32x4.mul (local.get $weight) (v128.load (local.get $from)))))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (local.set $from (i32.add (local.get $from) (i32.const 16)))
          (br_if $along (i32.lt_u (local.get $row) (local.get $rowEnd))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (local.set $weights (i32.add (local.get $weights) (i32.const 4)))
        (br $next))))

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
        (br $next)))))
