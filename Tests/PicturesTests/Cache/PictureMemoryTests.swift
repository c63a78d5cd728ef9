import AggregatorCore
import Testing

@testable import Pictures

struct PictureMemoryTests {
  @Test("the one that was used longest ago makes room")
  func leastRecentlyUsed() throws {
    var memory = PictureMemory(limit: 300)
    for name in ["a", "b", "c"] { memory.keep(try Samples.picture(Samples.png(of: 100)), from: try address(name)) }
    #expect(memory.take(try address("a")) != nil)
    memory.keep(try Samples.picture(Samples.png(of: 100)), from: try address("d"))
    #expect(memory.take(try address("b")) == nil)
    for name in ["a", "c", "d"] { #expect(memory.take(try address(name)) != nil) }
    #expect(memory.bytes == 300)
  }

  @Test("a picture that replaces another counts once")
  func replaced() throws {
    var memory = PictureMemory(limit: 300)
    for count in [100, 200, 50] { memory.keep(try Samples.picture(Samples.png(of: count)), from: try address("a")) }
    #expect(memory.bytes == 50)
    #expect(memory.count == 1)
  }

  @Test("a picture larger than everything pushes nothing out")
  func tooLarge() throws {
    var memory = PictureMemory(limit: 300)
    memory.keep(try Samples.picture(Samples.png(of: 300)), from: try address("a"))
    memory.keep(try Samples.picture(Samples.png(of: 301)), from: try address("b"))
    #expect(memory.take(try address("a")) != nil)
    #expect(memory.take(try address("b")) == nil)
  }
}
