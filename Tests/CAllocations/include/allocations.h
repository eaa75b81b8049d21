#pragma once

// How often the calling thread has taken memory from the heap and given it back, so that a test can show that
// something does neither. -1 under a sanitizer, which has a heap of its own.
long allocations_taken(void);
long allocations_freed(void);
