import AggregatorCore
import Testing

@testable import Asking

@Suite("Sums of decimal numbers") struct DecimalSumTests {
  private func sum(_ texts: [String]) throws -> String {
    var sum = DecimalSum()
    for text in texts {
      let number = try #require(Numeral(text))
      let isAdded = sum.add(number)
      #expect(isAdded)
    }
    return sum.value.plainText
  }

  @Test(
    "a sum is exact, whatever the size and the sign of its numbers",
    arguments: [
      ([], "0"), (["0", "-0", "0.00", "0e99"], "0"), (["0.1", "0.2"], "0.3"), (["19.90", "0.10"], "20"), (["-0.10", "0.05"], "-0.05"),
      (["1e3", "-999.99"], "0.01"), (["999999999", "1"], "1000000000"), (["-999999999", "-1"], "-1000000000"), (["1", "-1"], "0"),
      (["9223372036854775807", "1"], "9223372036854775808"), (["-9223372036854775808", "-1"], "-9223372036854775809"),
      (["-9223372036854775808"], "-9223372036854775808"), (["1e20", "1e-20"], "100000000000000000000.00000000000000000001"),
      (["1e20", "-1e-9"], "99999999999999999999.999999999"), (["1e-9"], "0.000000001"), (["1e-10", "1e-19"], "0.0000000001000000001"),
      (["-5e-324", "5e-324", "7"], "7"), (["1000000000", "-1"], "999999999"), (["1e18", "-1e18", "-0.5"], "-0.5"),
    ] as [([String], String)])
  func exact(numbers: [String], total: String) throws {
    #expect(try sum(numbers) == total)
    #expect(try sum(numbers.reversed()) == total)
  }

  @Test("numbers beyond the largest Double are added, and only those of a thousand digits are refused")
  func huge() throws {
    let zeros = String(repeating: "0", count: 308)
    #expect(try sum(["1e308", "1e308", "1e308"]) == "3" + zeros)
    var sum = DecimalSum()
    for text in ["1e1000", "-1e-1001", "9e999999999", "1e-1000000000"] {
      let number = try #require(Numeral(text))
      let isAdded = sum.add(number)
      #expect(!isAdded)
    }
    #expect(sum == DecimalSum())
    for text in ["9e999", "1e-1000"] {
      let number = try #require(Numeral(text))
      let isAdded = sum.add(number)
      #expect(isAdded)
    }
  }

  @Test("many numbers do not overflow a group of digits")
  func many() throws {
    var sum = DecimalSum()
    let number = try #require(Numeral("-999999999.999999999"))
    for _ in 0..<100_000 { _ = sum.add(number) }
    #expect(sum.value.plainText == "-99999999999999.9999")
  }
}
