import AggregatorCore
import Platform
import Services
import Testing

@testable import Authoring

/// Lines for curl, as browsers copy them and guides print them.
@Suite struct CurlLineTests {
  private static let key = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"

  // MARK: - Four browsers

  @Test("a line that Chrome copies for bash is read without noise, with keys and cookies apart and escapes resolved")
  func chrome() throws {
    let request = try NamedRequest(
      curl: #"""
        curl 'https://api.example.com/v1/boats/search?limit=20&_=1718000000000' \
          -H 'accept: application/json, text/plain, */*' \
          -H 'accept-language: en-US,en;q=0.9' \
          -H 'authorization: Bearer \#(Self.key)' \
          -b 'session=0123456789abcdef; theme=dark' \
          -H 'content-type: application/json' \
          -H 'origin: https://example.com' \
          -H 'priority: u=1, i' \
          -H 'referer: https://example.com/' \
          -H 'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"' \
          -H 'sec-fetch-mode: cors' \
          -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64)' \
          -H 'x-api-version: 2026-01-01' \
          -H 'x-tenant: harbour' \
          -H 'x-csrf-token: 0123456789' \
          --data-raw $'{"text":"it\'s \u0021 \ud83d\ude00\\n","page":1}'
        """#)
    #expect(request.method == .post)
    #expect("\(request.address)" == "https://api.example.com/v1/boats/search?limit=20")
    let accept = HTTPResponse.Header("accept", "application/json, text/plain, */*")
    #expect(request.headers == [accept, .init("x-api-version", "2026-01-01"), .init("x-tenant", "harbour")])
    #expect(request.body == ["text": "it's ! 😀\n", "page": 1])
    #expect(
      request.keys == [
        NamedKey(.header("authorization", scheme: "Bearer"), Secret(Self.key)),
        NamedKey(.header("x-csrf-token", scheme: nil), Secret("0123456789")),
        NamedKey(.header("Cookie", scheme: nil), Secret("session=0123456789abcdef; theme=dark")),
      ])
    #expect(
      request.notices == [
        "the cookies are sent as a key; those of a browser stop working when its session ends",
        "the header x-csrf-token belongs to a page that is open in a browser; as a key it stops working when that page is closed",
      ])
  }

  @Test(
    "a line for cmd.exe is refused, with what to copy",
    arguments: [
      "curl ^\"https://api.example.com/boats^\" ^\r\n  -H ^\"accept: */*^\"", "curl \"https://api.example.com/boats\" ^\n  --compressed",
    ])
  func cmd(line: String) {
    let error = #expect(throws: SourceError.self) { try NamedRequest(curl: line) }
    #expect(error?.message == "this line was copied for cmd.exe" && error?.remedy == "copy it as cURL for bash")
  }

  @Test("a line for curl with headers in a file is refused")
  func headersInFile() throws {
    for option in ["-H @hdr.txt", "--header @hdr.txt", "-H@hdr.txt"] {
      let error = try #require(throws: SourceError.self) { try NamedRequest(curl: "curl \(option) https://api.example.com/boats") }
      #expect(error.kind == .settings && error.message.hasSuffix("of curl names a file"), "\(error)")
    }
  }

  @Test("lines that Firefox and Safari copy are read, and their keys are separated")
  func others() throws {
    let firefox = try NamedRequest(
      curl: """
        curl 'https://api.example.com/boats?page=2' --compressed -H 'User-Agent: Mozilla/5.0' -H 'Accept: */*' -H 'Accept-Encoding: gzip' \
        -H 'X-Api-Key: \(Self.key)' -H 'Connection: keep-alive' -H 'Sec-Fetch-Dest: empty' -H 'TE: trailers'
        """)
    #expect(firefox.method == .get && firefox.headers.isEmpty && firefox.notices.isEmpty)
    #expect(firefox.keys == [NamedKey(.header("X-Api-Key", scheme: nil), Secret(Self.key))])
    let safari = try NamedRequest(
      curl: #"""
        curl 'https://api.example.com/boats' \
        -X 'POST' \
        -H 'Content-Type: application/vnd.api+json' \
        -H 'Cookie: a=1' \
        --data-binary '{"variables":{}}'
        """#)
    #expect(safari.headers == [.init("Content-Type", "application/vnd.api+json")])
    #expect(safari.keys == [NamedKey(.header("Cookie", scheme: nil), Secret("a=1"))])
    #expect(safari.body == ["variables": [:]])
  }

  // MARK: - Lines of guides

  @Test(
    "an address is found with the options in any order",
    arguments: [
      "curl https://api.example.com/boats", "curl.exe \"https://api.example.com/boats\"", "curl -sSL -k 'https://api.example.com/boats' -i",
      "curl --url https://api.example.com/boats", "curl --url=https://api.example.com/boats", "curl -- https://api.example.com/boats",
      "curl -XGET https://api.example.com/boats", "curl -X GET 'https://api.'example\".com/boats\"",
      "curl -o boats.json --retry 3 https://api.example.com/boats -w '%{http_code}'", "curl https://api.example.com/boats | jq '.[]'",
      "curl https://api.example.com/boats > boats.json", "curl -s https://api.example.com/boats; echo",
      "curl https://api.example.com/boats &",
      "curl\\\n  https://api.example.com/boats", "curl -fsS -A me -e 'https://x.example/' https://api.example.com/boats#top",
      "curl --no-compressed https://api.example.com/boats",
    ])
  func address(line: String) throws {
    #expect(try NamedRequest(curl: line) == NamedRequest(#require(WebAddress("https://api.example.com/boats"))))
  }

  @Test("a query stays as a person wrote it, even without quotes")
  func query() throws {
    #expect(try NamedRequest(curl: "curl https://x.example/a?b=1&c=%5B2%5D").address.query == "b=1&c=%5B2%5D")
    #expect(try NamedRequest(curl: #"curl "https://x.example/a?\$top=5&$skip=0""#).address.query == "$top=5&$skip=0")
    #expect(try NamedRequest(curl: #"curl 'https://x.example/a?page\[size\]=5'"#).address.query == "page[size]=5")
    let get = try NamedRequest(
      curl: "curl -G https://x.example/a?z=1 -d page=1 --data-urlencode 'q=two words' --data-urlencode =é --data-urlencode 'a b'")
    #expect(get.method == .get && get.body == nil)
    #expect(get.address.query == "z=1&page=1&q=two%20words&%C3%A9&a%20b")
  }

  @Test("a posted body is JSON, by any option")
  func bodies() throws {
    for option in ["-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json"] {
      let request = try NamedRequest(curl: "curl https://x.example/a \(option) '{\"a\":[1.50]}'")
      #expect(request.method == .post)
      #expect(request.body.map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"a":[1.50]}"#)
    }
    #expect(try NamedRequest(curl: "curl -X POST https://x.example/a").body == nil)
    #expect(try NamedRequest(curl: "curl -d '' https://x.example/a").method == .post)
  }

  @Test("the place and the kind of a key are recognized")
  func keys() throws {
    func keys(_ options: String) throws -> [NamedKey] { try NamedRequest(curl: "curl https://x.example/a \(options)").keys }
    let secret = Secret(Self.key)
    let basic = NamedKey(.basic(user: "ada"), secret)
    #expect(try keys("-u ada:\(Self.key)") == [basic])
    #expect(try keys("-uada:\(Self.key) --basic") == [basic])
    #expect(try keys("-H 'Authorization: Basic \(Base64.encode("ada:\(Self.key)".utf8))'") == [basic])
    #expect(try NamedRequest(curl: "curl https://ada:\(Self.key)@x.example/a").keys == [basic])
    // The name itself is the key, which must not be among a source's plain settings.
    let whole = "Basic \(Base64.encode("\(Self.key):".utf8))"
    #expect(try keys("-u \(Self.key):") == [NamedKey(.header("Authorization", scheme: nil), Secret(whole))])
    for address in ["https://\(Self.key)@x.example/a", "https://\(Self.key):@x.example/a"] {
      for request in [try NamedRequest(curl: "curl \(address)"), try NamedRequest(address: address)] {
        #expect(request.keys == [NamedKey(.header("Authorization", scheme: nil), Secret(whole))])
        #expect("\(request.address)" == "https://x.example/a" && !"\(request)".contains(Self.key))
      }
    }
    // curl asks for the password; the name may still be the key.
    let asked = try NamedRequest(curl: "curl https://x.example/a -u \(Self.key)")
    #expect(asked.keys.count == 1 && asked.keys[0].value == nil && !"\(asked)".contains(Self.key))
    #expect(try keys("--oauth2-bearer \(Self.key)") == [NamedKey(.header("Authorization", scheme: "Bearer"), secret)])
    #expect(try keys("-H'Authorization: Token \(Self.key)'") == [NamedKey(.header("Authorization", scheme: "Token"), secret)])
    #expect(try keys("--header='Authorization: \(Self.key)'") == [NamedKey(.header("Authorization", scheme: nil), secret)])
    #expect(
      try keys("-H 'PRIVATE-TOKEN: \(Self.key)' -H 'Postman-Token: 12345678'") == [NamedKey(.header("PRIVATE-TOKEN", scheme: nil), secret)])
    let query = try NamedRequest(curl: "curl 'https://x.example/a?limit=5&api_key=\(Self.key)&appid=\(Self.key)&q=1'")
    #expect(query.keys == [NamedKey(.query("api_key"), secret), NamedKey(.query("appid"), secret)])
    #expect(query.address.query == "limit=5&q=1")
  }

  @Test(
    "a placeholder of a guide is a key without a value",
    arguments: ["$TOKEN", "${TOKEN}", "<token>", "{token}", "[token]", "YOUR_API_KEY", "your-token", "xxxxxxxx", "***"])
  func placeholders(text: String) throws {
    let request = try NamedRequest(curl: "curl https://x.example/a -H \"Authorization: Bearer \(text)\" -H \"X-Api-Key: \(text)\"")
    #expect(request.keys == [NamedKey(.header("Authorization", scheme: "Bearer")), NamedKey(.header("X-Api-Key", scheme: nil))])
  }

  // MARK: - Requests that cannot be sent

  @Test(
    "an option that a source cannot send is refused by name, and no key is repeated",
    arguments: [
      ("-d @body.json", "the option -d of curl names a file; write what is in that file into the line"),
      ("--json=@body.json", "the option --json of curl names a file; write what is in that file into the line"),
      ("--data-urlencode q@file", "the option --data-urlencode of curl names a file; write what is in that file into the line"),
      ("-b cookies.txt", "the option -b of curl names a file; write what is in that file into the line"),
      ("-d 'a=1&b=KEY'", "a source posts JSON, and the body of this request is something else, such as a form"),
      ("-d 5", "a source posts JSON, and the body of this request is something else, such as a form"),
      ("-F a=KEY", "the option -F of curl is not supported; leave it out of the line"),
      ("-X DELETE", "a list is asked for by GET or POST, and not by DELETE"),
      ("-XGET -d '{}'", "a GET request cannot have a body; use POST"),
      ("https://y.example/KEY", "this line for curl has more than one address; keep one"),
      ("\ncurl https://y.example/b", "this line for curl has more than one address; keep one"),
      ("--frobnicate=KEY", "the option --frobnicate of curl is not supported; leave it out of the line"),
      ("--KEY/é", "the option in this line of curl is not supported; leave it out of the line"),
      ("-sqKEY", "the option -q of curl is not supported; leave it out of the line"),
      ("--next", "the option --next of curl is not supported; leave it out of the line"),
      ("-I", "the option -I of curl is not supported; leave it out of the line"),
      ("-H", "the option -H of curl needs a value"),
      ("-H 'X-Api-Key: KEY", "the line ends inside quotes; copy all of it"),
      ("-d $'KEY", "the line ends inside quotes; copy all of it"),
      ("-d \"KEY", "the line ends inside quotes; copy all of it"),
      (
        "-d '{\"a\":[{\"api_key\":\"KEY\"}]}'",
        "the body has a key, api_key; a source sends keys in a header or in the query; leave it out of the body, and send it in a header if "
          + "the service takes it there"
      ),
    ])
  func refused(options: String, message: String) {
    let line = "curl https://x.example/a?api_key=KEY \(options)".replacingEach("KEY", with: Self.key)
    let error = #expect(throws: SourceError.self) { try NamedRequest(curl: line) }
    let isAboutOption = options.hasPrefix("--KEY")
    #expect(error?.description == message || isAboutOption && error?.description.contains(Self.key) == false)
    #expect(error?.description.contains(Self.key) == false)
  }

  @Test("a line for curl needs an address that is safe and complete")
  func addresses() {
    let unsafe = "an address on another machine begins with https://"
    let odd = "expected an address such as https://api.example.com/boats"
    for (line, message) in [
      ("curl http://api.example.com/", unsafe), ("curl http://ada:\(Self.key)@api.example.com/", unsafe),
      ("curl -s", "this line for curl has no address"), ("curl api.example.com/\(Self.key)", odd), ("curl 'https://a b/\(Self.key)'", odd),
      ("curl https://@@/", odd), ("wget https://api.example.com/", "this is not a line for curl"), ("", "this is not a line for curl"),
    ] {
      #expect { try NamedRequest(curl: line) } throws: { ($0 as? SourceError)?.description == message }
    }
    #expect(throws: Never.self) { try NamedRequest(curl: "curl http://127.0.0.1:8080/boats") }
  }

  @Test("a line of any bytes is read or refused, and a long one quickly")
  func fuzz() throws {
    var dice = SystemRandomNumberGenerator()
    let parts = [
      "curl ", "'", "\"", "$'", "\\", "^", "^\"", "\n", "\r\n", " ", "-H ", "-d", "{", "}", "\\u", "d83d", "\\x", "é", "@", "a", ":", "=",
    ]
    for _ in 0..<3000 {
      let line = "curl " + (0..<40).map { _ in parts.randomElement(using: &dice) ?? "" }.joined()
      _ = try? NamedRequest(curl: line)
    }
    let body = String(repeating: "a", count: 1 << 20)
    #expect(try NamedRequest(curl: "curl https://x.example/ -d $'[\"\(body)\"]'").body == [.text(body)])
  }
}
