import SourceTesting
import Testing

/// Texts that people type into a search, through the whole command.
@Suite("search") struct SearchTests {
  private func first(_ column: String, _ source: String, _ text: String, environment: [String: String] = [:]) async throws -> [String] {
    let outcome = try await InProcess.run(
      source, "search", text, "--offline", "--format", "tsv", "--fields", column, "--limit", "5", environment: environment)
    #expect(outcome.code == 0, "\(outcome.errors)")
    return outcome.lines
  }

  @Test("first and last name find an imported person, in any order")
  func people() async throws {
    let folder = try Folder.fresh()
    let environment = ["XDG_DATA_HOME": "\(folder)/data"]
    let rows = """
      {"email":"ann@example.com","name":{"first":"Ann","last":"Wattle"}}
      {"email":"miah@example.com","name":{"first":"Miah","last":"Wattleson"}}
      {"email":"mia@example.com","name":{"first":"Mia","last":"Wattle"}}
      """
    #expect(try await InProcess.run("import users -", input: rows, environment: environment).code == 0)
    #expect(try await first("email", "users", "mia wattle", environment: environment) == ["mia@example.com", "miah@example.com"])
    #expect(try await first("email", "users", "Wattle, Mia", environment: environment).sorted() == ["mia@example.com", "miah@example.com"])
    let none = try await InProcess.run("users", "search", "mia watle", "--offline", environment: environment)
    #expect(none.code == 0 && none.output.isEmpty)
    #expect(none.errors.contains("aggregator: no users match \"mia watle\"; did you mean Mia Wattle?\n"))
  }

  /// Names as people remember them: misspelt, in their own language, in part, or a nickname. The table says who is meant.
  @Test("nearly all of two hundred half-remembered names give the right hero, first or in the question")
  func halfRemembered() async throws {
    let path = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Golden/half-remembered.tsv"
    let rows = try Folder.read(path).split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.count == 200 && rows.allSatisfy { $0.count == 3 })
    var (found, asked, missed): (Int, Int, [[String]]) = (0, 0, [])
    for row in rows {
      let outcome = try await InProcess.run(row[0], "search", row[1], "--offline", "--format", "tsv", "--fields", "name", "--limit", "1")
      if outcome.lines.first?.replacing("\t", with: " ").hasSuffix(row[2]) == true {
        found += 1
      } else if outcome.output.isEmpty, outcome.errors.contains("did you mean \(row[2])") {
        asked += 1
      } else {
        missed.append(row)
      }
    }
    // Before other languages and texts were searched, 81 came first and 45 in the question.
    #expect(found >= 160 && found + asked >= 187, "\(found) first, \(asked) asked for; missed: \(missed)")
  }

  /// Parts of ids and addresses, other languages, typing errors and words in another order, in two built-in and two added sources. The
  /// table says what is meant, and whether it is found at once, by the question, or not at all.
  @Test("each of sixty half-remembered records is found as the table says")
  func halfRememberedParts() async throws {
    let shop = try await OrdersAndFirms()
    let path = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Golden/half-remembered-parts.tsv"
    let rows = try Folder.read(path).split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.count == 60 && rows.allSatisfy { $0.count == 4 })
    var ways: [String: Int] = [:]
    for row in rows {
      let isBuiltIn = ["countries", "heroes"].contains(row[0])
      let outcome = try await shop.run([row[0], "search", row[1], "--limit", "5", "--format", "ndjson"] + (isBuiltIn ? ["--offline"] : []))
      let isAsked = outcome.errors.contains("did you mean ") && outcome.errors.contains(row[2])
      let way = outcome.output.contains(row[2]) ? "found" : isAsked ? "suggested" : "not found"
      #expect(way == row[3], "\(row)")
      ways[way, default: 0] += 1
    }
    // Before parts were found, 11 came at once and 6 in the question.
    #expect(ways == ["found": 39, "suggested": 20, "not found": 1])
  }

  @Test("parts are found in stored and live records, and the command that show suggests finds the record")
  func storedParts() async throws {
    let shop = try await OrdersAndFirms()
    try await expect(shop.run(["orders", "sync", "--quiet"]), 0)
    for needle in ["0052", "555-052", "70364", "u52@corp2", "parker 0022"] {
      let (live, stored) = (
        try await shop.run(["orders", "search", needle, "--live", "--format", "ndjson"]),
        try await shop.run(["orders", "search", needle, "--offline", "--format", "ndjson"])
      )
      #expect(live.output == stored.output && !live.output.isEmpty)
    }
    let missing = try await shop.run(["orders", "show", "0052"])
    #expect(missing.code == 66 && missing.errors == "aggregator: orders: no such record: \"0052\"; did you mean Ewa Nowak?\n")
  }

  @Test("texts that are numbers are sorted and compared as numbers, live and stored, and a text among them is told")
  func numbersInTexts() async throws {
    let shop = try await OrdersAndFirms()
    try await expect(shop.run(["orders", "sync", "--quiet"]), 0)
    for place in ["--live", "--offline"] {
      let dearest = try await shop.run(
        ["orders", "list", "--sort", "-price", "--limit", "2", "--fields", "price", "--format", "tsv", "--quiet", place])
      #expect(dearest.output == "1516.01\n1510.98\n")
      let above = try await shop.run(
        ["orders", "list", "--where", "price>1505.95", "--fields", "price", "--format", "tsv", "--quiet", place])
      #expect(above.output == "1510.98\n1516.01\n")
      let mixed = try await shop.run(["orders", "list", "--where", "name>5", place])
      #expect(
        mixed.code == 64 && mixed.output.isEmpty
          && mixed.errors.contains("name>5 compares numbers, and \"Jürgen Müller\" is not one; compare texts with =, != or ~"))
    }
  }
}

/// A service with three hundred orders and as many firms, its added manifest, and the command with a store of its own.
private struct OrdersAndFirms {
  private let server: StandInServer
  private let folder: String

  private static let first = [
    "Jürgen", "Anna", "Peter", "Łukasz", "José", "Zoë", "Søren", "Đorđe", "Ana", "Miles", "Chloé", "Björn", "Ewa", "Iñaki", "Marta", "Ömer",
    "Petra", "Quentin", "Rosa", "Stefan",
  ]
  private static let last = [
    "Müller", "Parker", "Nowak", "García", "Baker", "Kierkegaard", "Petrović", "Souza", "Morales", "Lefèvre", "Østby", "Wattle", "Yılmaz",
    "Weiß", "Zimmermann",
  ]

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func order(_ index: Int) -> String {
    let (cents, name) = (1_204 + index * 503, "\(first[index % 20]) \(last[index / 20])")
    return #"{"id":"SO-\#(padded(index, 4))","name":"\#(name)","email":"u\#(index)@corp\#(index % 50).example","#
      + #""phone":"+1 (555) \#(padded(index, 3))-\#(padded(1_234 + index * 7, 4))","number":\#(70_000 + index * 7),"#
      + #""price":"\#(cents / 100).\#(padded(cents % 100, 2))"}"#
  }

  private static func firm(_ index: Int) -> String {
    #"{"id":\#(4_000 + index),"company":"\#(last[index % 15]) & \#(last[index / 20]) GmbH","mail":"office@firm\#(index).test","#
      + #""mobile":"+49 170 \#(padded(1_234_567 + index * 31, 7))","customerNo":"K-\#(padded(10_000 + index * 13, 5))","#
      + #""vat":"DE\#(811_000_000 + index * 977)"}"#
  }

  init() async throws {
    server = try StandInServer { connection in
      while let request = connection.request() {
        let rows = (0..<300).map(request.target.hasPrefix("/orders") ? Self.order : Self.firm)
        connection.answer("[\(rows.joined(separator: ","))]")
      }
    }
    folder = try Folder.fresh()
    let manifest = """
      {"aggregator": 1, "address": {"setting": "SHOP_URL", "default": "\(try server.address("/"))"}, "budget": "unlimited", "sources": {
        "orders": {"summary": "Orders", "list": {"path": "orders"}, "rows": "", "key": "id", "paging": {"by": "whole"}, "fields": [
          {"name": "id", "width": "whole"}, {"name": "name", "role": "title", "searchable": true}, {"name": "email"}, {"name": "phone"},
          {"name": "number", "type": "integer"}, {"name": "price"}]},
        "firms": {"summary": "Firms", "list": {"path": "firms"}, "rows": "", "key": "id", "paging": {"by": "whole"}, "fields": [
          {"name": "id", "type": "integer"}, {"name": "company", "role": "title"}, {"name": "mail"}, {"name": "mobile"},
          {"name": "customerNo"}, {"name": "vat"}]}}}
      """
    try Folder.write(manifest, to: "\(folder)/shop.json")
    try await expect(run(["add", "shop.json"]), 0)
  }

  func run(_ arguments: [String]) async throws -> Binary.Outcome {
    try await InProcess.run(arguments, environment: Folder.homes(folder) + ["HOME": folder], in: folder)
  }
}
