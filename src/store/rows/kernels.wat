(module
  (memory (export "memory") 1)

  ;; Unpacks the block from $at to $end in the LZ4 block format to $to. Matches may reach back to $least, where a dictionary starts that
  ;; ends at $to. Nothing is read from $end + 16 on, nor written from $limit + 16 on. Returns where the unpacked bytes end; 0 if the
  ;; block is damaged, 1 if it does not fit before $limit.
  (func (export "unpack") (param $at i32) (param $end i32) (param $least i32) (param $to i32) (param $limit i32) (result i32)
    (local $token i32) (local $count i32) (local $byte i32) (local $from i32) (local $stop i32) (local $offset i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $token (i32.load8_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        ;; Literals.
        (local.set $count (i32.shr_u (local.get $token) (i32.const 4)))
        (if (i32.eq (local.get $count) (i32.const 15))
          (then
            (loop $more
              (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const 0))))
              (local.set $byte (i32.load8_u (local.get $at)))
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (local.set $count (i32.add (local.get $count) (local.get $byte)))
              (br_if $more (i32.eq (local.get $byte) (i32.const 255))))))
        (if (i32.gt_u (local.get $count) (i32.sub (local.get $end) (local.get $at))) (then (return (i32.const 0))))
        (if (i32.gt_u (local.get $count) (i32.sub (local.get $limit) (local.get $to))) (then (return (i32.const 1))))
        (local.set $stop (i32.add (local.get $to) (local.get $count)))
        (local.set $from (local.get $at))
        (local.set $at (i32.add (local.get $at) (local.get $count)))
        ;; Copies may go past their end: what follows is written later.
        (loop $copy
          (v128.store (local.get $to) (v128.load (local.get $from)))
          (local.set $to (i32.add (local.get $to) (i32.const 16)))
          (local.set $from (i32.add (local.get $from) (i32.const 16)))
          (br_if $copy (i32.lt_u (local.get $to) (local.get $stop))))
        (local.set $to (local.get $stop))
        (br_if $done (i32.eq (local.get $at) (local.get $end)))
        ;; A match.
        (if (i32.gt_u (i32.add (local.get $at) (i32.const 2)) (local.get $end)) (then (return (i32.const 0))))
        (local.set $offset (i32.load16_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 2)))
        (local.set $count (i32.and (local.get $token) (i32.const 15)))
        (if (i32.eq (local.get $count) (i32.const 15))
          (then
            (loop $more
              (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const 0))))
              (local.set $byte (i32.load8_u (local.get $at)))
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (local.set $count (i32.add (local.get $count) (local.get $byte)))
              (br_if $more (i32.eq (local.get $byte) (i32.const 255))))))
        (local.set $count (i32.add (local.get $count) (i32.const 4)))
        (if (i32.or (i32.eqz (local.get $offset)) (i32.gt_u (local.get $offset) (i32.sub (local.get $to) (local.get $least))))
          (then (return (i32.const 0))))
        (if (i32.gt_u (local.get $count) (i32.sub (local.get $limit) (local.get $to))) (then (return (i32.const 1))))
        (local.set $from (i32.sub (local.get $to) (local.get $offset)))
        (local.set $stop (i32.add (local.get $to) (local.get $count)))
        ;; What a match repeats of itself has to be there before it is copied.
        (if (i32.ge_u (local.get $offset) (i32.const 16))
          (then
            (loop $copy
              (v128.store (local.get $to) (v128.load (local.get $from)))
              (local.set $to (i32.add (local.get $to) (i32.const 16)))
              (local.set $from (i32.add (local.get $from) (i32.const 16)))
              (br_if $copy (i32.lt_u (local.get $to) (local.get $stop)))))
          (else
            (loop $copy
              (i32.store8 (local.get $to) (i32.load8_u (local.get $from)))
              (local.set $to (i32.add (local.get $to) (i32.const 1)))
              (local.set $from (i32.add (local.get $from) (i32.const 1)))
              (br_if $copy (i32.lt_u (local.get $to) (local.get $stop))))))
        (local.set $to (local.get $stop))
        (br $next)))
    (local.get $to))

  ;; Enters the places from $at to before $end into the chains by hash of four bytes: $heads has the latest place of each hash, $before the one
  ;; before each place; -1 ends a chain. Places count from $window.
  (func $enter (export "enter") (param $at i32) (param $end i32) (param $heads i32) (param $before i32) (param $window i32)
    (local $head i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_s (local.get $at) (local.get $end)))
        (local.set $head (call $headOf (local.get $heads) (i32.add (local.get $window) (local.get $at))))
        (i32.store (i32.add (local.get $before) (i32.shl (local.get $at) (i32.const 2))) (i32.load (local.get $head)))
        (i32.store (local.get $head) (local.get $at))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next))))

  (func $headOf (param $heads i32) (param $at i32) (result i32)
    (i32.add
      (local.get $heads)
      (i32.shl
        (i32.shr_u (i32.mul (i32.load (local.get $at)) (i32.const 0x9e3779b1)) (i32.const 19))
        (i32.const 2))))

  ;; Packs the bytes at the places from $first to $end into a block at $out; those before $first are the dictionary. Returns where the
  ;; block ends. Up to eight bytes after $end are read, and up to sixteen after the block are written.
  (func (export "pack") (param $first i32) (param $end i32) (param $heads i32) (param $before i32) (param $window i32) (param $out i32)
    (result i32)
    (local $at i32) (local $literals i32) (local $last i32) (local $head i32) (local $place i32) (local $tried i32)
    (local $length i32) (local $offset i32) (local $same i32) (local $left i32) (local $differ i64)
    (local.set $at (local.get $first))
    (local.set $literals (local.get $first))
    ;; The last five bytes are literals.
    (local.set $last (i32.sub (local.get $end) (i32.const 5)))
    (block $done
      (loop $next
        (local.set $left (i32.sub (local.get $last) (local.get $at)))
        (br_if $done (i32.lt_s (local.get $left) (i32.const 4)))
        (local.set $head (call $headOf (local.get $heads) (i32.add (local.get $window) (local.get $at))))
        (local.set $place (i32.load (local.get $head)))
        (i32.store (i32.add (local.get $before) (i32.shl (local.get $at) (i32.const 2))) (local.get $place))
        (i32.store (local.get $head) (local.get $at))
        (local.set $length (i32.const 0))
        ;; Up to six earlier places with the same hash, the latest first.
        (local.set $tried (i32.const 6))
        (block $chosen
          (loop $try
            (br_if $chosen (i32.lt_s (local.get $place) (i32.const 0)))
            (br_if $chosen (i32.gt_s (i32.sub (local.get $at) (local.get $place)) (i32.const 65535)))
            ;; A longer match has the byte after the longest one so far.
            (if
              (i32.eq
                (i32.load8_u (i32.add (i32.add (local.get $window) (local.get $place)) (local.get $length)))
                (i32.load8_u (i32.add (i32.add (local.get $window) (local.get $at)) (local.get $length))))
              (then
                (local.set $same (i32.const 0))
                (block $differs
                  (loop $more
                    (local.set $differ
                      (i64.xor
                        (i64.load (i32.add (i32.add (local.get $window) (local.get $place)) (local.get $same)))
                        (i64.load (i32.add (i32.add (local.get $window) (local.get $at)) (local.get $same)))))
                    (if (i64.ne (local.get $differ) (i64.const 0))
                      (then
                        (local.set $same
                          (i32.add (local.get $same) (i32.wrap_i64 (i64.shr_u (i64.ctz (local.get $differ)) (i64.const 3)))))
                        (br $differs)))
                    (local.set $same (i32.add (local.get $same) (i32.const 8)))
                    (br_if $more (i32.lt_s (local.get $same) (local.get $left)))))
                (if (i32.gt_s (local.get $same) (local.get $left)) (then (local.set $same (local.get $left))))
                (if (i32.gt_s (local.get $same) (local.get $length))
                  (then
                    (local.set $length (local.get $same))
                    (local.set $offset (i32.sub (local.get $at) (local.get $place)))))))
            (local.set $place (i32.load (i32.add (local.get $before) (i32.shl (local.get $place) (i32.const 2)))))
            (local.set $tried (i32.sub (local.get $tried) (i32.const 1)))
            (br_if $try (local.get $tried))))
        (if (i32.lt_s (local.get $length) (i32.const 4))
          (then
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $next)))
        (local.set $out
          (call $literals
            (i32.add (local.get $window) (local.get $literals))
            (i32.sub (local.get $at) (local.get $literals))
            (i32.sub (local.get $length) (i32.const 4))
            (local.get $out)))
        (i32.store16 (local.get $out) (local.get $offset))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (if (i32.ge_u (local.get $length) (i32.const 19))
          (then (local.set $out (call $extend (i32.sub (local.get $length) (i32.const 19)) (local.get $out)))))
        (local.set $literals (i32.add (local.get $at) (local.get $length)))
        (call $enter
          (i32.add (local.get $at) (i32.const 1))
          (local.get $literals)
          (local.get $heads)
          (local.get $before)
          (local.get $window))
        (local.set $at (local.get $literals))
        (br $next)))
    (call $literals
      (i32.add (local.get $window) (local.get $literals))
      (i32.sub (local.get $end) (local.get $literals))
      (i32.const 0)
      (local.get $out)))

  ;; Writes a token, $count literals and no more; $rest is what a match has over four bytes. Returns where it ends.
  (func $literals (param $from i32) (param $count i32) (param $rest i32) (param $out i32) (result i32)
    (local $stop i32)
    (i32.store8
      (local.get $out)
      (i32.or
        (i32.shl (select (local.get $count) (i32.const 15) (i32.lt_u (local.get $count) (i32.const 15))) (i32.const 4))
        (select (local.get $rest) (i32.const 15) (i32.lt_u (local.get $rest) (i32.const 15)))))
    (local.set $out (i32.add (local.get $out) (i32.const 1)))
    (if (i32.ge_u (local.get $count) (i32.const 15))
      (then (local.set $out (call $extend (i32.sub (local.get $count) (i32.const 15)) (local.get $out)))))
    (local.set $stop (i32.add (local.get $out) (local.get $count)))
    ;; Copies may go past their end: what follows is written later.
    (loop $copy
      (v128.store (local.get $out) (v128.load (local.get $from)))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $copy (i32.lt_u (local.get $out) (local.get $stop))))
    (local.get $stop))

  ;; Writes a length's bytes after its token. Returns where they end.
  (func $extend (param $left i32) (param $out i32) (result i32)
    (block $done
      (loop $more
        (br_if $done (i32.lt_u (local.get $left) (i32.const 255)))
        (i32.store8 (local.get $out) (i32.const 255))
        (local.set $out (i32.add (local.get $out) (i32.const 1)))
        (local.set $left (i32.sub (local.get $left) (i32.const 255)))
        (br $more)))
    (i32.store8 (local.get $out) (local.get $left))
    (i32.add (local.get $out) (i32.const 1))))
