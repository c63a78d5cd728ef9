import AggregatorCore
import Testing

@Suite("Points in time")
struct MomentTests {
  @Test("are whole seconds rounded down, before 1970 too", arguments: [(1500, 1), (-1, -1), (-1000, -1), (-1001, -2), (0, 0)])
  func seconds(milliseconds: Int, seconds: Int) {
    #expect(Moment(sinceEpoch: .milliseconds(milliseconds)).seconds == seconds)
  }

  @Test("are moved by lengths and lie lengths apart")
  func arithmetic() {
    let moment = Moment(secondsSinceEpoch: 100)
    #expect(moment + .seconds(5) - moment == .seconds(5))
    #expect(moment - .seconds(5) < moment)
  }

  @Test(
    "however far away are counted with, written and kept",
    arguments: [Int.min, .min + 1, -99_999_999_999, 10_413_792_000, 253_402_300_800, .max - 1, .max])
  func farAway(seconds: Int) {
    let moment = Moment(secondsSinceEpoch: seconds)
    let other = Moment(secondsSinceEpoch: 0)
    #expect(Moment(nanoseconds: moment.nanoseconds).nanoseconds == moment.nanoseconds)
    #expect(!moment.iso.isEmpty && !(moment - other).inWords.isEmpty && !(other - moment).inWords.isEmpty)
    #expect(((moment + .seconds(Int.max)) - (moment - .seconds(Int.max))).inSeconds > 0)
    #expect((moment.nanoseconds < 0) == (seconds < 0))
  }
}

@Suite("Dice")
struct DiceTests {
  @Test("of the same seed show the same, on every machine")
  func seeded() {
    let dice = SeededDice(seed: 1234567)
    #expect((0..<3).map { _ in dice.roll() } == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  @Test("give every index below the bound and none beyond it", arguments: [1, 2, 3, 10])
  func indices(bound: Int) {
    let dice = SeededDice(seed: 1)
    #expect(Set((0..<300).map { _ in dice.index(below: bound) }) == Set(0..<bound))
  }

  @Test("give fractions from 0 up to, not including, 1")
  func fractions() {
    struct Loaded: Dice {
      let face: UInt64
      func roll() -> UInt64 { face }
    }
    #expect(Loaded(face: .min).fraction() == 0)
    #expect(Loaded(face: .max).fraction() < 1)
    #expect(Loaded(face: .max).index(below: 7) == 6)
  }
}
