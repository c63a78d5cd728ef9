import SourceTesting
import Testing

/// `image ID`: what is downloaded, where it goes, and what is told.
struct ImageTests {
  private let folder: String

  init() throws { folder = try Folder.fresh() }

  @Test("image prints the path of the file in the cache, which the next run uses")
  func cached() async throws {
    let shop = try FakePictureShop([("Desk Lamp", ["/front.png", "/back.gif"])])
    let first = try await expect(shop.run("products image 1"), 0, errors: "")
    #expect(first.lines.count == 2)
    #expect(first.lines.allSatisfy { $0.hasPrefix("\(shop.cache)/aggregator/pictures/") })
    #expect(first.lines.map { String($0.suffix(4)) } == [".png", ".gif"])
    #expect(try await shop.run("products image 1").output == first.output)
    #expect(try await shop.run("products image 1 --refresh --explain").output == first.output)
    #expect(
      shop.asked == ["/front.png", "/back.gif", "/front.png", "/back.gif"]
        || shop.asked.sorted() == ["/back.gif", "/back.gif", "/front.png", "/front.png"])
    #expect(shop.server.requests.allSatisfy { $0["User-Agent"]?.hasPrefix("aggregator/") == true })
  }

  @Test("image --save DIR writes each picture under a readable name, and overwrites no other file")
  func saved() async throws {
    let shop = try FakePictureShop([("Desk / Lamp", ["/front.png", "/back.png", "/side.gif"])]) { connection, path in
      connection.answer(
        bytes: path == "/side.gif" ? FakePictureShop.gif : path == "/back.png" ? FakePictureShop.png + [0] : FakePictureShop.png)
    }
    let first = try await shop.run("products image 1 --save new/pictures", in: folder)
    #expect(first.lines == ["new/pictures/Desk - Lamp.png", "new/pictures/Desk - Lamp-2.png", "new/pictures/Desk - Lamp-3.gif"])
    #expect(first.code == 0)
    #expect(try await shop.run("products image 1 --save \(folder)/new/pictures").code == 0)
    #expect(try FakePictureShop.names(in: "\(folder)/new/pictures").count == 3)
    try Folder.write("mine", to: "\(folder)/Desk - Lamp.png")
    let other = try await shop.run("products image 1 --save \(folder)")
    // The first name belongs to another file, and the second and third to the other pictures, in the order in which they come.
    #expect(other.lines == ["Desk - Lamp-4.png", "Desk - Lamp-2.png", "Desk - Lamp-3.gif"].map { "\(folder)/\($0)" })
    #expect(try await shop.run("products image 1 --save \(folder)").output == other.output)
    #expect(try Folder.read("\(folder)/Desk - Lamp.png") == "mine")
  }

  @Test("image exits 66 for a record without a picture, and for an unknown record")
  func missing() async throws {
    let shop = try FakePictureShop([("Desk Lamp", []), ("Kettle", ["none", "ftp://x.example/a.png"])])
    for (id, text) in [("1", "\"Desk Lamp\" has no picture"), ("2", "\"Kettle\" has no picture"), ("3", "no such record: \"3\"")] {
      try await expect(
        shop.run("products image \(id)"), 66, output: "", errors: .begins("aggregator: products: \(text)"))
    }
  }

  static let troubles: [(path: String, code: Int32, message: String)] = [
    ("/500", 69, "the service failed (HTTP 500), tried 3 times"), ("/403", 69, "the service refused the request (HTTP 403)"),
    ("/429", 75, "rate-limited (HTTP 429)"), ("/loop", 65, "the service redirected more than 5 times"), ("/large", 65, "larger than 20 MB"),
  ]

  @Test("image tells each failure with the address, and with its own exit code", arguments: troubles)
  func trouble(path: String, code: Int32, message: String) async throws {
    let shop = try FakePictureShop([("Desk Lamp", [path])]) { connection, path in
      switch path {
      case "/loop": connection.answer(status: "302 Found", headers: "Location: /loop\r\n")
      case "/large": connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20971521\r\n\r\n")
      default: connection.answer(status: "\(path.dropFirst()) Trouble", headers: "Retry-After: \(path == "/429" ? 3600 : 0)\r\n")
      }
    }
    try await expect(
      shop.run("products image 1"), code,
      errors: .has("products: the picture at http://127.0.0.1:\(shop.server.port)\(path): ", message))
    #expect(try FakePictureShop.names(in: shop.cache) == [])
  }

  @Test("image prints the paths of the pictures that came and the reasons of the others, and exits 3")
  func partial() async throws {
    let shop = try FakePictureShop([("Desk Lamp", ["/a.png", "/gone", "/b.gif"])]) { connection, path in
      if path == "/gone" {
        connection.answer(status: "404 Not Found")
      } else {
        connection.answer(bytes: path == "/a.png" ? FakePictureShop.png : FakePictureShop.gif)
      }
    }
    let outcome = try await expect(shop.run("products image 1"), 3)
    #expect(outcome.lines.map { String($0.suffix(4)) } == [".png", ".gif"])
    #expect(outcome.errors.contains("/gone: the service cannot find this address (HTTP 404)"))
  }

  @Test("--offline shows cached pictures and asks for nothing")
  func offline() async throws {
    // The addresses in the bundled copy are on hosts that do not exist.
    let shop = try FakePictureShop([])
    try await expect(
      shop.run("products image dcf98c13-f5c3-4067-a1e6-54b8408cd7c4 --offline --save pictures", in: try Folder.fresh()), 69,
      errors: .has("is not cached; omit --offline to download it"))
    #expect(shop.server.requests.isEmpty)
  }

  @Test("image tells that the cache cannot be written, and --save works all the same")
  func unwritable() async throws {
    let shop = try FakePictureShop([("Desk Lamp", ["/a.png"])])
    try Folder.write("", to: "\(folder)/file")
    let saved = try await shop.run("products image 1 --save \(folder)/in", environment: ["XDG_CACHE_HOME": "\(folder)/file"])
    #expect(saved.code == 0)
    #expect(saved.lines == ["\(folder)/in/Desk Lamp.png"])
    #expect(saved.errors == "aggregator: pictures: cannot cache pictures in \(folder)/file/aggregator/pictures: Not a directory\n")
    let unsaved = try await shop.run("products image 1", environment: ["XDG_CACHE_HOME": "\(folder)/file"])
    #expect(unsaved.code == 74)
    #expect(unsaved.errors.hasSuffix("aggregator: products: no folder to save the picture in; name one with --save DIR\n"))
  }

  @Test("image works without a home, and says that it caches no pictures")
  func homeless() async throws {
    let shop = try FakePictureShop([("Desk Lamp", ["/a.png"])])
    let outcome = try await shop.run("products image 1 --save \(folder)", environment: ["XDG_CACHE_HOME": ""])
    #expect(outcome.code == 0)
    #expect(outcome.errors == "aggregator: pictures are not cached: neither XDG_CACHE_HOME nor HOME names a folder\n")
    #expect(try FakePictureShop.names(in: folder) == ["Desk Lamp.png"])
  }

  @Test("a disk that is full half-way keeps no part of a picture")
  func full() throws {
    let shop = try FakePictureShop([("Desk Lamp", ["/a.png"])]) { connection, _ in
      connection.answer(bytes: FakePictureShop.png + [UInt8](repeating: 0, count: 9000))
    }
    // No file may grow beyond 4 kB, and a longer one is an error, not a signal.
    let line = "trap '' XFSZ; ulimit -f \"$(expr 4096 / $(getconf PAGE_SIZE) \\* 8)\"; exec \"$A\" products image 1 --save \"$F\""
    let outcome = try Binary.shell(line, environment: shop.environment + ["F": folder, "XDG_DATA_HOME": ""])
    #expect(outcome.code == 74)
    #expect(outcome.errors.contains("pictures: cannot cache pictures in \(shop.cache)/aggregator/pictures: File too large\n"))
    #expect(outcome.errors.contains("cannot save the picture in \(folder): File too large"))
    #expect(try FakePictureShop.names(in: folder) == [])
    #expect(try FakePictureShop.names(in: "\(shop.cache)/aggregator/pictures") == [])
  }

  @Test("a source without pictures has neither the verb image nor the option --images")
  func none() async throws {
    #expect(try await InProcess.run("countries image FR").code == 64)
    #expect(try await InProcess.run("countries list --images x").code == 64)
    for source in ["heroes", "products", "users"] {
      #expect(try await InProcess.run("\(source) image").errors.contains("needs an argument: ID"))
    }
  }

  @Test("image --record keeps pictures too, and --replay plays them")
  func recorded() async throws {
    let shop = try FakePictureShop([("Desk Lamp", ["/a.png"])])
    _ = try await shop.run("products image 1")
    try await expect(shop.run("products image 1 --record \(folder)/har --save \(folder)/one"), 0)
    let replayed = try await shop.run("products image 1 --replay \(folder)/har --save \(folder)/two")
    #expect(replayed.lines == ["\(folder)/two/Desk Lamp.png"])
    #expect(try Binary.shell("cmp \"$F/one/Desk Lamp.png\" \"$F/two/Desk Lamp.png\"", environment: ["F": folder]).code == 0)
    #expect(shop.asked.count == 2)
  }
}
