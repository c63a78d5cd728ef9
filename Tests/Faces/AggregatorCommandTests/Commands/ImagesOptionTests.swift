import SourceTesting
import Testing

/// `--images DIR`: the pictures of many records at once.
struct ImagesOptionTests {
  private let folder: String

  init() throws { folder = try Folder.fresh() }

  @Test("--images prints the records as usual, and saves each picture under a name of its own")
  func many() async throws {
    let titles = ["Lamp", "Lamp", "lamp", "Kettle"]
    let shop = try FakePictureShop(titles.enumerated().map { ($1, ["/\($0).png"]) } + [("Nothing", [])]) { connection, path in
      connection.answer(bytes: FakePictureShop.png + Array(path.utf8))
    }
    let plain = try await shop.run("products list --fields id,title")
    try await expect(
      shop.run("products list --fields id,title --images \(folder)/in"), 0, output: .exactly(plain.output),
      errors: "aggregator: products: saved 4 pictures in \(folder)/in\n")
    #expect(try FakePictureShop.names(in: "\(folder)/in").sorted() == ["Kettle.png", "Lamp-2.png", "Lamp.png", "lamp-3.png"])
    // Each name has the picture of its own record, in whatever order they came.
    #expect(try Binary.shell("tail -c 6 \"$F/lamp-3.png\"", environment: ["F": "\(folder)/in"]).output == "/2.png")
    #expect(try await shop.run("products list --images \(folder)/in --quiet").errors == "")
    #expect(try FakePictureShop.names(in: "\(folder)/in").count == 4)
    #expect(shop.asked.count == 4)
  }

  @Test("the server's log shows at most six requests at once")
  func bounded() throws {
    let (arrivals, gate) = (Turnstile(), Turnstile())
    let shop = try FakePictureShop((0..<12).map { ("P\($0)", ["/\($0).png"]) }) { connection, _ in
      arrivals.admit()
      gate.pass()
      connection.answer(bytes: FakePictureShop.png)
    }
    let process = try Binary.start("products list --quiet --images \(folder)", environment: shop.environment)
    for _ in 0..<6 { arrivals.pass() }
    let together = shop.asked.count
    gate.open()
    #expect(process.wait() == 0)
    #expect(together == 6)
    #expect(try FakePictureShop.names(in: folder).count == 12)
  }

  @Test("--images counts and tells pictures that do not come, and prints the records all the same")
  func failures() async throws {
    let shop = try FakePictureShop([("A", ["/a.png"]), ("B", ["/gone"]), ("C", ["/gone-too"])]) { connection, path in
      if path == "/a.png" { connection.answer(bytes: FakePictureShop.png) } else { connection.answer(status: "404 Not Found") }
    }
    let outcome = try await expect(shop.run("products list --images \(folder)"), 0)
    #expect(outcome.lines.count == 3)
    #expect(outcome.errors.contains("aggregator: products: saved 1 picture in \(folder)\n"))
    #expect(outcome.errors.contains("aggregator: products: failed to download 2 of 3 pictures (the picture at http://127.0.0.1:"))
    #expect(outcome.errors.hasSuffix("(HTTP 404)); --verbose lists each\n"))
    try await expect(
      shop.run("products list --images \(folder) --verbose"),
      errors: .has(
        "aggregator: saved \(folder)/A.png\n",
        "aggregator: B: products: the picture at", "aggregator: C: products: the picture at"))
  }

  @Test("--images with a folder that cannot be made is an error before anything is asked")
  func unusable() async throws {
    let shop = try FakePictureShop([("A", ["/a.png"])])
    try await expect(
      shop.run("products list --images /dev/null"), 74, output: "",
      errors: "aggregator: cannot write pictures to /dev/null: Not a directory\n")
    #expect(shop.server.requests.isEmpty)
  }

  @Test("a bar shows the progress of pictures on a terminal")
  func progress() throws {
    let gate = Turnstile()
    let shop = try FakePictureShop([("A", ["/a.png"]), ("B", ["/b.png"])]) { connection, path in
      if path == "/b.png" { gate.pass() }
      connection.answer(bytes: FakePictureShop.png)
    }
    let output = try Scratch()
    let terminal = try Terminal(
      "products", "list", "--images", try Folder.fresh(), columns: 100, environment: shop.environment, output: output.descriptor)
    try terminal.waitFor("products: pictures [##########..........] 1 of 2")
    gate.open()
    #expect(terminal.wait() == 0)
    #expect(terminal.shown.contains("aggregator: products: saved 2 pictures in "))
  }
}
