import Platform
import Testing

@testable import AggregatorCore
@testable import KeyFiles

@Suite struct XCConfigFuzzTests {
  private static let seeds = [
    "A = $(B)x\nB = https:/$()/x; // y", "#include \"B\"\nA[x=y] = 1 \n", "A = $(A)${inherited}$(B)$$\r\nA = \"$$\"",
    "\u{FEFF}#include? \"A\"\nB = $(A_)\nC = é",
  ].map { Array($0.utf8) }

  /// Bytes that mean something.
  private static let alphabet = Array("$(){}[]:=/\\\"#;AB \n\r\t\0".utf8) + [0xFF, 0xE2, 0x80, 0xEF]

  @Test("no bytes make the reader crash, hang, or give what is not text")
  func mutations() {
    let dice = SeededDice(seed: 7)
    let files: ListedFiles = ["/k/A": "A = $(B)\n#include \"/k/B\"", "/k/B": "B = $(inherited)$(A)"]
    var read = 0
    for round in 0..<20_000 {
      var bytes = Self.seeds[round % Self.seeds.count]
      for _ in 0...dice.index(below: 4) {
        let byte = Self.alphabet[dice.index(below: Self.alphabet.count)]
        let index = dice.index(below: bytes.count)
        switch dice.index(below: 4) {
        case 0: bytes[index] = byte
        case 1: bytes.insert(byte, at: index)
        case 2 where bytes.count > 1: bytes.remove(at: index)
        default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 8)], at: dice.index(below: bytes.count))
        }
      }
      guard let config = try? XCConfig(FileContents(bytes), at: "/k/Main", reader: files) else { continue }
      for name in config.assignments.keys.sorted() where (try? config.value(of: name)) != nil { read += 1 }
    }
    // Most of what is nearly right must still be read, or the loop tests nothing but refusals.
    #expect(read > 5_000)
  }

  @Test("whatever could be read can be changed, and then holds the new value")
  func edits() throws {
    let dice = SeededDice(seed: 8)
    for round in 0..<1_000 {
      var bytes = Self.seeds[round % Self.seeds.count]
      bytes.insert(Self.alphabet[dice.index(below: Self.alphabet.count)], at: dice.index(below: bytes.count))
      let files: ListedFiles = ["/k/A": "", "/k/B": "A = 0"]
      guard (try? XCConfig(FileContents(bytes), at: "/k/Main", reader: files)) != nil else { continue }
      let value = (0..<dice.index(below: 6)).map { _ in "$()/;\\ A:".randomElement(from: dice) }.joined()
      let edited = try XCConfigEdit.setting("A", to: Secret(value), in: bytes, at: "/k/Main", reader: files)
      let config = try XCConfig(FileContents(edited), at: "/k/Main", reader: files)
      #expect(try config.value(of: "A")?.text.reveal() == value, "\(bytes)")
    }
  }
}

extension String {
  fileprivate func randomElement(from dice: SeededDice) -> String { String(Array(self)[dice.index(below: count)]) }
}
