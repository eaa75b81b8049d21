internal import Glibc

/// Guards a value with a POSIX mutex; `wait` sleeps until another thread changes the value.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: consuming sending Value) {
        self.value = value
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        precondition(pthread_mutex_init(mutex, nil) == 0)
        precondition(pthread_cond_init(changed, &attributes) == 0)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    package func withLock<R: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending R
    ) throws(E) -> sending R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Like `withLock`, and wakes whoever waits.
    package func change<R: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending R
    ) throws(E) -> sending R {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return try body(&value)
    }

    /// Sleeps until `body` answers something.
    package func wait<R: ~Copyable>(until body: (inout sending Value) -> sending R?) -> sending R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let answer = body(&value) { return answer }
            pthread_cond_wait(changed, mutex)
        }
    }

    /// Sleeps until `body` answers something, at most until `deadline` on the monotonic clock: then nil.
    package func wait<R: ~Copyable>(
        deadline: Nanoseconds, until body: (inout sending Value) -> sending R?
    ) -> sending R? {
        let late = max(0, deadline)
        var time = timespec(tv_sec: Int(late / .second), tv_nsec: Int(late % .second))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let answer = body(&value) { return answer }
            if pthread_cond_timedwait(changed, mutex, &time) == ETIMEDOUT { return body(&value) }
        }
    }
}
