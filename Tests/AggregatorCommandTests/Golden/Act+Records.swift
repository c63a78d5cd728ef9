import SourceTesting

extension Act {
  static let records = Act(
    "Records",
    [
      Scene("aggregator countries show ZZ --offline"), Scene("aggregator heroes image 'Bat 9' --offline"),
      Scene("aggregator users delete eve@example.com", environment: offline),
      Scene("aggregator users restore eve@example.com", environment: offline),
      Scene("aggregator users why eve@example.com", environment: offline),
      Scene("aggregator users delete ada@example.com", before: ["printf 'email\\nada@example.com\\n' | aggregator import users -"]),
      Scene(
        "aggregator users show ada@example.com --offline", "deleted before",
        before: ["printf 'email\\nada@example.com\\n' | aggregator import users -", "aggregator users delete ada@example.com"]),
      Scene("aggregator countries search zzz --offline"), Scene("aggregator countries search germny --offline"),
      Scene("aggregator countries search batman --offline"),
      Scene("aggregator countries list --offline --where name=Atlantis"),
      Scene("aggregator countries list --offline --where region=Europe"),
      Scene("aggregator countries list --offline --where capital=Parris"),
      Scene("aggregator heroes list --offline --where teams=Avenger"),
      Scene("aggregator countries list --offline --where region=EU --where capital=Lima"),
      Scene("aggregator countries list --offline --limit 1 --require 'complete,live,age<1d'"),
      Scene("aggregator countries sync", service: germany),
      Scene("aggregator countries sync", "for the second time", before: ["aggregator countries sync"], service: germany),
      Scene("aggregator heroes list --plan --offline"),
    ])

  static let store = Act(
    "The store",
    [
      Scene("aggregator heroes next --store /dev/null/x/store.db --offline"),
      Scene("aggregator heroes next --store notes.txt --offline", files: ["notes.txt": "Buy milk, and call Ada about the store.\n"]),
      Scene("aggregator heroes next --offline", "a newer version wrote the store", before: [used, patch(60)]),
      Scene("aggregator countries list --limit 1", "a newer version wrote the store", before: [used, patch(60)]) { connection, _, _ in
        connection.answer("[\(Service.row("DE", "Germany"))]")
      },
      Scene("aggregator countries list --offline --limit 1", "a newer version wrote the store", before: [used, patch(60)]),
      Scene("aggregator heroes next --offline", "another program wrote the store", before: [used, patch(68)]),
      Scene("aggregator countries next --offline --limit 1", "the store is damaged", before: [used, "echo 'no database' >\(path)"]),
      Scene(
        "aggregator countries list --limit 1 --offline", "neither XDG_DATA_HOME nor HOME is set",
        environment: ["HOME": "", "XDG_CACHE_HOME": "/tmp"]),
      Scene("aggregator users list --limit 1 --store /dev/null/x/store.db") { connection, _, _ in
        connection.answer("{\"results\":[{\"email\":\"ada@example.com\",\"name\":{\"first\":\"Ada\"},\"login\":{\"uuid\":\"1\"}}]}")
      },
      Scene("aggregator cache clear", "twice", before: ["aggregator cache clear"]),
    ])

  static let files = Act(
    "Files to import",
    [
      Scene("aggregator import users people.csv"), Scene("aggregator import users bin"), Scene("aggregator import users - <&-"),
      Scene("echo '{}' | aggregator import users -"), Scene("printf 'name\\nAda\\nBob\\n' | aggregator import users -"),
      Scene("echo '[{\"email\":[}]' | aggregator import users -"),
      Scene("echo '{\"source\":\"heroes\",\"items\":[]}' | aggregator import users -"),
      Scene("echo '{\"query\":{},\"sources\":[]}' | aggregator import users -"),
      Scene("printf 'ada@example.com\\tAda\\n' | aggregator import users -"),
      Scene("printf 'id\\taliases\\n1\\ta, b\\n' | aggregator import heroes -"),
      Scene("printf 'email,shoe\\nada@example.com,38\\nbob,39\\n' | aggregator import users - >/dev/null"),
      Scene("printf 'Contact;Nick\\nada@example.com;ada\\n' | aggregator import users - --map Contakt=email"),
      Scene("printf 'Contact\\nada@example.com\\n' | aggregator import users - --map Contact=emial"),
      Scene("aggregator import users people.csv --map email"),
      Scene("printf 'E-Mail;usernam\\nada@example.com;ada\\n' | aggregator import users - >/dev/null"),
      Scene("printf 'email,E-Mail,e_mail\\na,b,c\\n' | aggregator import users - >/dev/null"),
      Scene("printf 'E-Mail,e_mail\\na,b\\n' | aggregator import users - >/dev/null"),
      Scene("printf 'email\\na,b\\n' | aggregator import users -"), Scene("printf 'email\\n\\377\\n' | aggregator import users -"),
    ])

  static let recordings = Act(
    "Recordings",
    [
      Scene("aggregator countries list --replay recordings"),
      Scene("aggregator countries list --replay recordings", "the folder is empty", before: ["mkdir recordings"]),
      Scene("aggregator countries list --replay recordings", "a file in it is no recording", files: ["recordings/a.har": "{}"]),
      Scene("aggregator countries list --replay recordings", "another address was recorded", files: ["recordings/a.har": har("/other")]),
      Scene(
        "aggregator countries list --refresh --replay recordings", "another host was recorded",
        files: ["recordings/a.har": har("/", "a.example")]),
      Scene("aggregator countries list --record /dev/null/x", service: germany),
      Scene(
        "aggregator countries list --record recordings", "a file there is no recording", files: ["recordings/countries.har": "{}"],
        service: germany),
      Scene("aggregator countries list --record recordings", service: germany),
      Scene("aggregator source verify countries --fixtures recordings"), Scene("aggregator source verify ports"),
    ])

  static let pictures = Act(
    "Pictures",
    [
      image("404 Not Found"), image("200 OK", "<html></html>"), image("200 OK", "<svg/>"), image("200 OK", ""), image("200 OK", "GIF"),
      Scene("aggregator products image 1", "the product has none") { connection, request, number in
        connection.answer("{\"id\":\"1\",\"title\":\"Kettle\",\"images\":[]}")
      },
      Scene("aggregator products image 1 --offline", "shown before", before: ["aggregator products show 1"]) { connection, request, _ in
        connection.answer(kettle(request))
      },
      Scene("aggregator products image 1 --save /dev/null/x") { connection, request, _ in connection.answer(kettle(request)) },
      Scene("aggregator products list --images pictures", "one of two pictures is missing") { connection, request, _ in
        switch request.target {
        case "/a.gif": connection.answer(bytes: Shop.gif)
        case "/b.gif": connection.answer(status: "404 Not Found")
        default: connection.answer("{\"products\":[\(request.body.contains("\"skip\":0") ? kettle(request, ["a.gif", "b.gif"]) : "")]}")
        }
      },
    ])

  static let authors = Act(
    "Authors of sources",
    [
      Scene("aggregator source new 7up"), Scene("aggregator source new countries"), Scene("aggregator source new class"),
      Scene("aggregator source new ports --core /tmp"), Scene("aggregator source new ports", before: ["mkdir ports"]),
      Scene("aggregator source new ports --from-har ports.har"),
      Scene("aggregator source new ports --from-har ports.har", "it is no recording", files: ["ports.har": "{}"]),
      Scene("aggregator source new ports --from-har ports.har", "it lists nothing", files: ["ports.har": har("/")]),
    ])

  static let endings = Act(
    "Output and interruption",
    [
      Scene("aggregator countries list --offline --quiet >&-"), Scene("aggregator countries list --offline | head -c 1 >/dev/null"),
      Scene("aggregator countries list", "Ctrl-C while the service is silent", interrupted: true) { connection, _, _ in
        connection.untilClosed()
      },
    ])

  static let notices = Act(
    "Notices",
    [
      Scene("aggregator countries list --offline"),
      Scene("aggregator countries next --offline", "all were shown", before: ["aggregator countries next --offline --limit 300"]),
      Scene("aggregator countries reset"),
      Scene(
        "aggregator users search ada", "two were fetched",
        before: ["printf 'email\\nada@example.com\\nbob@example.com\\n' | aggregator import users -"]),
      Scene("aggregator users restore ada@example.com", before: ["printf 'email\\nada@example.com\\n' | aggregator import users -"]),
    ])
}

// MARK: - Circumstances

extension Act {
  private static let offline = ["RANDOM_USER_BASE_URL": ""]
  private static let used = "aggregator countries next --offline --limit 1"
  private static let path = ".local/share/aggregator/store.db"

  /// Overwrites a number of SQLite's header: that of the format at 60, that of the program at 68.
  private static func patch(_ place: Int) -> String {
    "printf '\\0\\0\\0\\143' | dd of=\(path) bs=1 seek=\(place) conv=notrunc 2>/dev/null"
  }

  private static let germany: Scene.Service = { connection, _, _ in connection.answer("[\(Service.row("DE", "Germany"))]") }

  private static func har(_ path: String, _ host: String = "127.0.0.1:1") -> String {
    #"{"log":{"version":"1.2","creator":{"name":"test","version":"1"},"entries":[{"startedDateTime":"2026-01-02T03:04:05Z","#
      + #""request":{"method":"GET","url":"http://\#(host)\#(path)","headers":[]},"#
      + #""response":{"status":200,"headers":[],"content":{"mimeType":"application/json","text":"[]"}}}]}}"#
  }

  private static func kettle(_ request: ServerRequest, _ pictures: [String] = ["a.png"]) -> String {
    let images = pictures.map { "\"http://\(request["host"] ?? "")/\($0)\"" }
    return "{\"id\":\"1\",\"title\":\"Kettle\",\"images\":[\(images.joined(separator: ","))]}"
  }

  private static func image(_ status: String, _ body: String = "") -> Scene {
    Scene("aggregator products image 1", "the picture is: HTTP \(status)\(body.isEmpty ? "" : ", \(body)")") { connection, request, _ in
      if request.target == "/a.png" { connection.answer(status: status, body) } else { connection.answer(kettle(request)) }
    }
  }
}
