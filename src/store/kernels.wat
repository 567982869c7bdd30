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
    (local.get $to)))
