import Basics
import Testing

@Suite("Byte cache")
struct ByteCacheTests {
    @Test("the value that was used longest ago makes room")
    func eviction() {
        var cache = ByteCache<String, Int>(limit: 100)
        cache.keep(1, "a", byteCount: 40)
        cache.keep(2, "b", byteCount: 40)
        #expect(cache.value("a") == 1)
        cache.keep(3, "c", byteCount: 40)
        #expect(cache.value("b") == nil)
        #expect(cache.value("a") == 1 && cache.value("c") == 3)
        #expect(cache.byteCount == 80 && cache.count == 2)
        cache.keep(4, "d", byteCount: 100)
        #expect(cache.value("d") == 4 && cache.byteCount == 100 && cache.count == 1)
    }

    @Test("a value that is larger than the cache is not kept, and takes nothing else with it")
    func tooLarge() {
        var cache = ByteCache<String, Int>(limit: 100)
        cache.keep(1, "a", byteCount: 40)
        cache.keep(2, "b", byteCount: 101)
        #expect(cache.value("a") == 1 && cache.value("b") == nil)
        cache.keep(3, "a", byteCount: 101)
        #expect(cache.value("a") == nil && cache.byteCount == 0)
    }

    @Test("a key that is kept again counts once")
    func again() {
        var cache = ByteCache<String, Int>(limit: 100)
        for value in 0..<10 { cache.keep(value, "a", byteCount: 30) }
        #expect(cache.value("a") == 9 && cache.byteCount == 30 && cache.count == 1)
    }

    @Test("an expired value is gone and frees its bytes")
    func expiry() {
        var cache = ByteCache<String, Int>(limit: 100)
        cache.keep(1, "a", byteCount: 40, until: 10)
        #expect(cache.value("a", at: 9) == 1)
        #expect(cache.value("a", at: 10) == nil)
        #expect(cache.byteCount == 0 && cache.count == 0)
    }

    @Test("values of no bytes are bounded too")
    func count() {
        var cache = ByteCache<Int, Int>(limit: 100)
        for key in 0..<5000 { cache.keep(key, key, byteCount: 0) }
        #expect(cache.count == 4096)
        #expect(cache.value(0) == nil && cache.value(4999) == 4999)
    }
}
