//! Decides by size and alignment who gives a piece: the stock of the thread, mimalloc, or the system.

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{c_long, c_void};
use std::ptr::null_mut;

use mimalloc::MiMalloc;

use super::stock::{self, Class};

/// Bytes from which on memory is mapped by itself.
const LARGE: usize = 4 << 20;
/// Alignment up to which the system maps: that of the smallest page.
const ALIGNED: usize = 4096;

/// The allocator.
pub(super) struct Allocator;

// SAFETY: the library of the crate `mimalloc` has these functions with these signatures (mimalloc.h).
unsafe extern "C" {
    safe fn mi_collect(force: bool);
    safe fn mi_option_set(option: i32, value: c_long);
    pub(super) safe fn mi_malloc(size: usize) -> *mut c_void;
    safe fn mi_zalloc(size: usize) -> *mut c_void;
    fn mi_realloc(memory: *mut c_void, size: usize) -> *mut c_void;
    pub(super) fn mi_free(memory: *mut c_void);
}

/// Whether mimalloc gives this alignment to pieces of no class by itself. Asking for it costs: mimalloc then takes more memory than is needed for most
/// of them, and has to look for the beginning of the piece when it is freed.
fn is_aligned_anyway(align: usize) -> bool {
    align <= 16
}

/// `mi_option_purge_delay` (mimalloc.h): after how many milliseconds what is free goes back to the system.
const PURGE_DELAY: i32 = 15;

/// Gives back to the system what is free, on each thread of the pool and on this one: reading a corpus leaves the trees of its files behind, which the
/// allocator would keep while the variants are judged. From then on mimalloc keeps nothing for longer than ten milliseconds: a second is its habit,
/// and as long as a whole corpus takes. The stocks fill again; they are small.
pub fn give_back() {
    let empty_this_thread = || {
        stock::give_back();
        mi_collect(true);
    };
    mi_option_set(PURGE_DELAY, 10);
    empty_this_thread();
    rayon::broadcast(|_| empty_this_thread());
}

fn is_large(size: usize, align: usize) -> bool {
    size >= LARGE && align <= ALIGNED
}

fn mapped(size: usize) -> *mut u8 {
    let (may, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping at an address that the system chooses touches no other.
    let new = unsafe { libc::mmap(null_mut(), size, may, kind, -1, 0) };
    if new == libc::MAP_FAILED { null_mut() } else { new.cast() }
}

// SAFETY: size and alignment, which the caller states again when it gives memory back, decide whose it is: what is small is of a class of the stock, and
// mimalloc gave it for the size of the class; what is large is mapped and unmapped whole; everything else is mimalloc's alone. A mapping begins with
// a page, and is zero.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match Class::of(layout.size(), layout.align()) {
            Some(class) => stock::allocate(class),
            // SAFETY: the caller's promise.
            None => unsafe { allocate_without_stock(layout) },
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(class) = Class::of(layout.size(), layout.align()) else {
            // SAFETY: the caller's promise.
            return unsafe { allocate_zeroed_without_stock(layout) };
        };
        let memory = stock::take(class);
        if memory.is_null() {
            return mi_zalloc(class.size()).cast();
        }
        // SAFETY: the piece has at least the size of its class, which is at least that of the layout. Nobody else uses the piece.
        unsafe { memory.write_bytes(0, layout.size()) };
        memory
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        match Class::of(layout.size(), layout.align()) {
            // SAFETY: the caller has it from here, where mimalloc gave it for this class, and uses it no more.
            Some(class) => unsafe { stock::put(class, memory) },
            // SAFETY: the caller's promise.
            None => unsafe { free_without_stock(memory, layout) },
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (Class::of(layout.size(), layout.align()), Class::of(size, layout.align())) {
            (Some(before), Some(after)) if before == after => memory,
            (None, None) => {
                // SAFETY: the caller's promise, and neither size is of a class.
                unsafe { resize_without_stock(memory, layout, size) }
            }
            // SAFETY: the caller's promise.
            _ => unsafe { reallocate_by_copy(memory, layout, size) },
        }
    }
}

/// Allocates what is of no class of the stock.
unsafe fn allocate_without_stock(layout: Layout) -> *mut u8 {
    match is_large(layout.size(), layout.align()) {
        true => mapped(layout.size()),
        false if is_aligned_anyway(layout.align()) => mi_malloc(layout.size()).cast(),
        // SAFETY: the caller's promise.
        false => unsafe { MiMalloc.alloc(layout) },
    }
}

/// As [`allocate_without_stock`], with zeros.
unsafe fn allocate_zeroed_without_stock(layout: Layout) -> *mut u8 {
    match is_large(layout.size(), layout.align()) {
        true => mapped(layout.size()),
        false if is_aligned_anyway(layout.align()) => mi_zalloc(layout.size()).cast(),
        // SAFETY: the caller's promise.
        false => unsafe { MiMalloc.alloc_zeroed(layout) },
    }
}

/// Gives back what is of no class of the stock.
unsafe fn free_without_stock(memory: *mut u8, layout: Layout) {
    match is_large(layout.size(), layout.align()) {
        // SAFETY: the caller has it from here, with this size, and uses it no more.
        true => drop(unsafe { libc::munmap(memory.cast(), layout.size()) }),
        // SAFETY: the caller has it from here, where mimalloc gave it for this size.
        false => unsafe { MiMalloc.dealloc(memory, layout) },
    }
}

/// Resizes a piece that is of no class, neither before nor after.
unsafe fn resize_without_stock(memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    match (is_large(layout.size(), layout.align()), is_large(size, layout.align())) {
        // SAFETY: the caller has it from here, where mimalloc gave it, and uses the old address no more.
        (false, false) if is_aligned_anyway(layout.align()) => unsafe {
            mi_realloc(memory.cast(), size).cast()
        },
        // SAFETY: the caller's promise.
        (false, false) => unsafe { MiMalloc.realloc(memory, layout, size) },
        // SAFETY: it is a mapping of that size, and the caller uses the old address no more.
        (true, true) => unsafe {
            let moved = libc::mremap(memory.cast(), layout.size(), size, libc::MREMAP_MAYMOVE);
            if moved == libc::MAP_FAILED { null_mut() } else { moved.cast() }
        },
        // SAFETY: the caller's promise.
        (true, false) | (false, true) => unsafe { reallocate_by_copy(memory, layout, size) },
    }
}

/// Allocates anew, copies, and gives the old piece back.
unsafe fn reallocate_by_copy(memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    // SAFETY: the new size is not zero, and as the caller promises not too large for the alignment. Both pieces have the bytes that are copied, and are
    // different.
    unsafe {
        let new = Allocator.alloc(Layout::from_size_align_unchecked(size, layout.align()));
        if !new.is_null() {
            std::ptr::copy_nonoverlapping(memory, new, layout.size().min(size));
            Allocator.dealloc(memory, layout);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces on both sides of the border, each filled, made larger and smaller across it, keep what they hold.
    #[test]
    fn what_is_small_and_what_is_large_keeps_its_bytes() {
        for (first, second) in
            [(1, LARGE), (LARGE, 1), (LARGE, 3 * LARGE), (3 * LARGE, LARGE + 1), (100, 5000)]
        {
            let layout = Layout::from_size_align(first, 16).unwrap();
            // SAFETY: the sizes are those of the layouts, and nothing is used once it is given back.
            unsafe {
                let memory = Allocator.alloc_zeroed(layout);
                assert!(!memory.is_null() && memory.addr().is_multiple_of(16));
                let bytes = std::slice::from_raw_parts_mut(memory, first);
                assert!(bytes.iter().all(|byte| *byte == 0));
                bytes.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at % 251) as u8);
                let memory = Allocator.realloc(memory, layout, second);
                assert!(!memory.is_null());
                let kept = std::slice::from_raw_parts(memory, first.min(second));
                assert!(
                    kept.iter().enumerate().all(|(at, byte)| *byte == (at % 251) as u8),
                    "{first} {second}"
                );
                Allocator.dealloc(memory, Layout::from_size_align(second, 16).unwrap());
            }
        }
    }

    #[test]
    fn every_size_is_aligned() {
        for align in [1, 2, 4, 8, 16, 32, 64] {
            for size in (1..200).chain([1000, 1025, 4096, 5000, 40_001, 1 << 20]) {
                let layout = Layout::from_size_align(size, align).unwrap();
                // SAFETY: the layouts are the same up to the size that is stated, and no byte is read before it was written or behind its piece.
                unsafe {
                    let zeroed = Allocator.alloc_zeroed(layout);
                    assert!(!zeroed.is_null(), "{layout:?}");
                    assert!((0..size).all(|at| *zeroed.add(at) == 0), "{layout:?}");
                    for piece in [Allocator.alloc(layout), zeroed] {
                        assert!(!piece.is_null() && piece.addr().is_multiple_of(align), "{layout:?}");
                        (0..size).for_each(|at| *piece.add(at) = at as u8);
                        let moved = Allocator.realloc(piece, layout, 3 * size);
                        assert!(!moved.is_null() && moved.addr().is_multiple_of(align), "{layout:?}");
                        assert!((0..size).all(|at| *moved.add(at) == at as u8), "{layout:?}");
                        Allocator.dealloc(moved, Layout::from_size_align(3 * size, align).unwrap());
                    }
                }
            }
        }
    }

    #[test]
    fn a_coarse_alignment_is_kept() {
        let layout = Layout::from_size_align(2 * LARGE, 1 << 16).unwrap();
        // SAFETY: the layout is the same, and the memory is not used.
        unsafe {
            let memory = Allocator.alloc(layout);
            assert_eq!(memory.addr() % (1 << 16), 0);
            Allocator.dealloc(memory, layout);
        }
    }
}
