import SourceTesting
import Synchronization

/// randomuser.me on the loopback, and the command that asks it, with a store of its own.
///
/// Page 3 has `p3-0@example.com`, `p3-1@example.com` and so on. A page has the same people for every request.
struct FakeRandomUser {
  let server: StandInServer
  let folder: String
  let environment: [String: String]

  /// Pages of `size` people. `rows` gives further rows of a page, and `onRequest` gets the number of each page before its answer.
  init(
    size: Int = 5, rows: @escaping @Sendable (Int) -> [String] = { _ in [] }, onRequest: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws {
    server = try StandInServer { connection in
      while let request = connection.request() {
        let page = FakeRandomUser.page(in: request.target)
        onRequest(page)
        let all = (0..<size).map { FakeRandomUser.row("p\(page)-\($0)@example.com", uuid: "u\(page)-\($0)") } + rows(page)
        connection.answer(#"{"results":[\#(all.joined(separator: ","))],"info":{"page":\#(page),"version":"1.4"}}"#)
      }
    }
    folder = try Folder.fresh()
    environment =
      ["RANDOM_USER_BASE_URL": "\(try server.address("/api/1.4/"))", "RANDOM_USER_BUDGET": "unlimited"]
      + Folder.homes(folder)
  }

  /// The pages that were asked for, in order.
  var pages: [Int] { server.requests.map { Self.page(in: $0.target) } }

  /// The values that the requests gave for `item`.
  func values(of item: String) -> Set<String> { Set(server.requests.map { Self.value(of: item, in: $0.target) ?? "" }) }

  func run(_ arguments: String..., input: String = "") async throws -> Binary.Outcome {
    try await InProcess.run(["users"] + arguments.words, input: input, environment: environment, in: folder)
  }

  /// The e-mails that a command prints.
  func emails(_ arguments: String...) async throws -> [String] {
    try await InProcess.run(
      ["users"] + arguments.words + ["--format", "tsv", "--fields", "email"], environment: environment, in: folder
    )
    .lines
  }

  /// Starts `users next` and returns at once; its results go to `output`.
  func start(_ limit: Int, output: Scratch) throws -> Spawned {
    try Binary.start(
      "users next --limit \(limit) --format tsv --fields email --quiet", environment: environment, in: folder, output: output.descriptor)
  }

  static func row(_ email: String, uuid: String, first: String = "Ada", last: String = "Byron") -> String {
    #"{"gender":"female","name":{"title":"Ms","first":"\#(first)","last":"\#(last)"},"email":"\#(email)","#
      + #""login":{"uuid":"\#(uuid)","username":"x"},"nat":"GB"}"#
  }

  private static func page(in target: String) -> Int { value(of: "page", in: target).flatMap { Int($0) } ?? 0 }

  private static func value(of item: String, in target: String) -> String? {
    target.drop { $0 != "?" }.dropFirst().split(separator: "&").first { $0.hasPrefix("\(item)=") }.map {
      String($0.dropFirst(item.count + 1))
    }
  }
}
