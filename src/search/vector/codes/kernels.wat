(module
  (memory (export "memory") 1)

  ;; Sum of four lanes.
  (func $sum (param $v v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $v)) (i32x4.extract_lane 1 (local.get $v)))
      (i32.add (i32x4.extract_lane 2 (local.get $v)) (i32x4.extract_lane 3 (local.get $v)))))

  ;; What the 64 bytes at $cells have for the cells of sixteen signed bytes: the whole part of byte times $scale times factor plus
  ;; added number, within 0 to 63, in single precision.
  (func $code16 (param $bytes i32) (param $scale v128) (param $factors i32) (param $added i32) (param $cells i32) (result v128)
    (local $stored v128) (local $low v128) (local $high v128) (local $found v128)
    (local.set $stored (v128.load (local.get $bytes)))
    (local.set $low (i16x8.extend_low_i8x16_s (local.get $stored)))
    (local.set $high (i16x8.extend_high_i8x16_s (local.get $stored)))
    (local.set $found (i8x16.min_u
      (i8x16.narrow_i16x8_u
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s (f32x4.floor (f32x4.add (f32x4.mul (f32x4.mul
            (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $low))) (local.get $scale))
            (v128.load (local.get $factors))) (v128.load (local.get $added)))))
          (i32x4.trunc_sat_f32x4_s (f32x4.floor (f32x4.add (f32x4.mul (f32x4.mul
            (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $low))) (local.get $scale))
            (v128.load offset=16 (local.get $factors))) (v128.load offset=16 (local.get $added))))))
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s (f32x4.floor (f32x4.add (f32x4.mul (f32x4.mul
            (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $high))) (local.get $scale))
            (v128.load offset=32 (local.get $factors))) (v128.load offset=32 (local.get $added)))))
          (i32x4.trunc_sat_f32x4_s (f32x4.floor (f32x4.add (f32x4.mul (f32x4.mul
            (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $high))) (local.get $scale))
            (v128.load offset=48 (local.get $factors))) (v128.load offset=48 (local.get $added)))))))
      (v128.const i32x4 0x3f3f3f3f 0x3f3f3f3f 0x3f3f3f3f 0x3f3f3f3f)))
    ;; A swizzle gives 0 for what is not within its sixteen entries.
    (v128.or
      (v128.or
        (i8x16.swizzle (v128.load (local.get $cells)) (local.get $found))
        (i8x16.swizzle (v128.load offset=16 (local.get $cells))
          (i8x16.sub (local.get $found) (v128.const i32x4 0x10101010 0x10101010 0x10101010 0x10101010))))
      (v128.or
        (i8x16.swizzle (v128.load offset=32 (local.get $cells))
          (i8x16.sub (local.get $found) (v128.const i32x4 0x20202020 0x20202020 0x20202020 0x20202020)))
        (i8x16.swizzle (v128.load offset=48 (local.get $cells))
          (i8x16.sub (local.get $found) (v128.const i32x4 0x30303030 0x30303030 0x30303030 0x30303030))))))

  ;; Codes of $count vectors of signed bytes with a scale, one every $stride bytes at $vectors, the scale 1536 bytes behind its start:
  ;; of $dims dimensions (a multiple of 32), 16 bytes for each 32 of them; byte i has dimension i in its low half and 16 + i in its
  ;; high one. Factors and added numbers are 32-bit floats. Codes of the vectors stand one after another at $codes.
  (func (export "codeVectors") (param $vectors i32) (param $count i32) (param $stride i32) (param $dims i32) (param $factors i32) (param $added i32) (param $cells i32) (param $codes i32)
    (local $end i32) (local $at i32) (local $scale v128)
    (local.set $end (i32.add (local.get $vectors) (i32.mul (local.get $count) (local.get $stride))))
    (block $done
      (loop $nextVector
        (br_if $done (i32.ge_u (local.get $vectors) (local.get $end)))
        (local.set $scale (v128.load32_splat offset=1536 (local.get $vectors)))
        (local.set $at (i32.const 0))
        (loop $next
          (v128.store (local.get $codes)
            (v128.or
              (call $code16
                (i32.add (local.get $vectors) (local.get $at)) (local.get $scale)
                (i32.add (local.get $factors) (i32.shl (local.get $at) (i32.const 2)))
                (i32.add (local.get $added) (i32.shl (local.get $at) (i32.const 2)))
                (local.get $cells))
              (i8x16.shl
                (call $code16
                  (i32.add (i32.add (local.get $vectors) (local.get $at)) (i32.const 16)) (local.get $scale)
                  (i32.add (i32.add (local.get $factors) (i32.shl (local.get $at) (i32.const 2))) (i32.const 64))
                  (i32.add (i32.add (local.get $added) (i32.shl (local.get $at) (i32.const 2))) (i32.const 64))
                  (local.get $cells))
                (i32.const 4))))
          (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (br_if $next (i32.lt_u (local.get $at) (local.get $dims))))
        (local.set $vectors (i32.add (local.get $vectors) (local.get $stride)))
        (br $nextVector))))

  ;; Sums of level times weight for two rows of codes; $bytes a row. Two integers to $out.
  (func $sumTwo (param $one i32) (param $two i32) (param $bytes i32) (param $weights i32) (param $levels v128) (param $out i32)
    (local $end i32) (local $codes v128) (local $first v128) (local $second v128)
    (local $w0 v128) (local $w1 v128) (local $w2 v128) (local $w3 v128) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $one) (local.get $bytes)))
    (loop $next
      (local.set $w0 (v128.load (local.get $weights))) (local.set $w1 (v128.load offset=16 (local.get $weights)))
      (local.set $w2 (v128.load offset=32 (local.get $weights))) (local.set $w3 (v128.load offset=48 (local.get $weights)))
      (local.set $codes (v128.load (local.get $one)))
      (local.set $first (i8x16.swizzle (local.get $levels)
        (v128.and (local.get $codes) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
      (local.set $second (i8x16.swizzle (local.get $levels)
        (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
      (local.set $a (i32x4.add (local.get $a) (i32x4.add
        (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $first)) (local.get $w0))
        (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $first)) (local.get $w1)))))
      (local.set $b (i32x4.add (local.get $b) (i32x4.add
        (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $second)) (local.get $w2))
        (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $second)) (local.get $w3)))))
      (local.set $codes (v128.load (local.get $two)))
      (local.set $first (i8x16.swizzle (local.get $levels)
        (v128.and (local.get $codes) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
      (local.set $second (i8x16.swizzle (local.get $levels)
        (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
      (local.set $c (i32x4.add (local.get $c) (i32x4.add
        (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $first)) (local.get $w0))
        (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $first)) (local.get $w1)))))
      (local.set $d (i32x4.add (local.get $d) (i32x4.add
        (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $second)) (local.get $w2))
        (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $second)) (local.get $w3)))))
      (local.set $two (i32.add (local.get $two) (i32.const 16)))
      (local.set $weights (i32.add (local.get $weights) (i32.const 64)))
      (local.set $one (i32.add (local.get $one) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $one) (local.get $end))))
    (i32.store (local.get $out) (call $sum (i32x4.add (local.get $a) (local.get $b))))
    (i32.store offset=4 (local.get $out) (call $sum (i32x4.add (local.get $c) (local.get $d)))))

  ;; Sums of level times weight over the codes, $bytes a row at $codes, of $count rows (an even number) whose numbers stand as 32-bit
  ;; integers at $rows. Levels are 16 signed bytes at $levels, weights 16-bit integers in the order of dimensions; the caller sees
  ;; to it that no sum passes 31 bits. One 32-bit integer a row to $out.
  (func (export "scoreCodes") (param $codes i32) (param $bytes i32) (param $rows i32) (param $count i32) (param $weights i32) (param $levels i32) (param $out i32)
    (local $end i32) (local $table v128)
    (local.set $table (v128.load (local.get $levels)))
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (call $sumTwo
          (i32.add (local.get $codes) (i32.mul (i32.load (local.get $rows)) (local.get $bytes)))
          (i32.add (local.get $codes) (i32.mul (i32.load offset=4 (local.get $rows)) (local.get $bytes)))
          (local.get $bytes) (local.get $weights) (local.get $table) (local.get $out))
        (local.set $rows (i32.add (local.get $rows) (i32.const 8)))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (br $next))))

  ;; Weights of eight levels as a query: base plus level times factor, to the nearest whole number within 16 bits.
  (func $weigh8 (param $levels v128) (param $bases i32) (param $factors i32) (param $out i32)
    (v128.store (local.get $out)
      (i16x8.narrow_i32x4_s
        (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.add (v128.load (local.get $bases))
          (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $levels))) (v128.load (local.get $factors))))))
        (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.add (v128.load offset=16 (local.get $bases))
          (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $levels))) (v128.load offset=16 (local.get $factors)))))))))

  ;; Weights that make a row of codes a query, 16-bit integers to $out: base plus level times factor of each dimension, 32-bit floats at
  ;; $bases and $factors; $bytes of codes at $codes.
  (func (export "weighCodes") (param $codes i32) (param $bytes i32) (param $levels i32) (param $bases i32) (param $factors i32) (param $out i32)
    (local $end i32) (local $table v128) (local $first v128) (local $second v128)
    (local.set $table (v128.load (local.get $levels)))
    (local.set $end (i32.add (local.get $codes) (local.get $bytes)))
    (loop $next
      (local.set $first (i8x16.swizzle (local.get $table)
        (v128.and (v128.load (local.get $codes)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
      (local.set $second (i8x16.swizzle (local.get $table)
        (v128.and (i16x8.shr_u (v128.load (local.get $codes)) (i32.const 4))
          (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
      (call $weigh8 (i16x8.extend_low_i8x16_s (local.get $first)) (local.get $bases) (local.get $factors) (local.get $out))
      (call $weigh8 (i16x8.extend_high_i8x16_s (local.get $first))
        (i32.add (local.get $bases) (i32.const 32)) (i32.add (local.get $factors) (i32.const 32)) (i32.add (local.get $out) (i32.const 16)))
      (call $weigh8 (i16x8.extend_low_i8x16_s (local.get $second))
        (i32.add (local.get $bases) (i32.const 64)) (i32.add (local.get $factors) (i32.const 64)) (i32.add (local.get $out) (i32.const 32)))
      (call $weigh8 (i16x8.extend_high_i8x16_s (local.get $second))
        (i32.add (local.get $bases) (i32.const 96)) (i32.add (local.get $factors) (i32.const 96)) (i32.add (local.get $out) (i32.const 48)))
      (local.set $bases (i32.add (local.get $bases) (i32.const 128)))
      (local.set $factors (i32.add (local.get $factors) (i32.const 128)))
      (local.set $out (i32.add (local.get $out) (i32.const 64)))
      (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $codes) (local.get $end))))))
