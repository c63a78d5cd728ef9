import AggregatorCore
import Testing

@testable import Bodies

/// XML as JSON.
struct XMLTests {
  private func json(_ text: some Sequence<UInt8>, _ paths: [(ValuePath, isText: Bool)]? = nil) throws -> Value {
    var format = BodyFormat(.xml)
    if let paths {
      var shape = XMLShape()
      for (path, isText) in paths { shape.note(path.steps, isText: isText) }
      format.elements = shape
    }
    return try format.document(Array(text)).json.value
  }

  private func error(_ text: some Sequence<UInt8>) -> SourceError? {
    do {
      _ = try json(text)
      return nil
    } catch { return error as? SourceError }
  }

  @Test(
    "elements are objects, attributes are @members, and a leaf is its text",
    arguments: [
      ("<a><b>1</b><c> x &amp; &#233; </c></a>", #"{"a":{"b":"1","c":"x & é"}}"#), ("<a/>", #"{"a":null}"#), ("<a></a>", #"{"a":null}"#),
      ("<a> \n</a>", #"{"a":null}"#), ("<a x='1' y=''/>", #"{"a":{"@x":"1","@y":""}}"#),
      ("<a x='1'>t</a>", ##"{"a":{"@x":"1","#text":"t"}}"##),
      ("<a>one <b>two</b> three</a>", ##"{"a":{"b":"two","#text":"one  three"}}"##),
      ("<a><![CDATA[<b>&amp;</b>]]></a>", #"{"a":"<b>&amp;</b>"}"#), ("<a><b>1</b><c/><b>2</b></a>", #"{"a":{"b":["1","2"],"c":null}}"#),
      (
        "<f xmlns='u' xmlns:dc='v' dc:k='1'><dc:creator>Ada</dc:creator><no:where/></f>",
        #"{"f":{"@dc:k":"1","dc:creator":"Ada","no:where":null}}"#
      ),
      ("\u{FEFF}<?xml version='1.0'?><!-- c --><?pi x?><a><!-- d -->t<!-- e -->u</a>", #"{"a":"tu"}"#),
      ("<a><b> <![CDATA[ x ]]>\n</b><c><![CDATA[ ]]></c></a>", #"{"a":{"b":" x ","c":" "}}"#),
      (
        "<a xml:space='preserve'>\n<b> x </b>\n<c xml:space='default'> y </c><d> </d></a>",
        ##"{"a":{"@xml:space":"preserve","b":" x ","c":{"@xml:space":"default","#text":"y"},"d":" "}}"##
      ),
      ("<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'><a>t</a>", #"{"a":"t"}"#),
    ])
  func forms(text: String, json: String) throws {
    #expect(String(decoding: try self.json(text.utf8).bytes, as: UTF8.self) == json)
  }

  @Test("an element that a path names as a list is one, even alone, and one whose inside it names is an object, even bare")
  func shape() throws {
    let paths: [(ValuePath, isText: Bool)] = [
      ("r.i[*]", false), ("r.i[*].link[0].@href", true), ("r.i[*].guid", true), ("r.i[*].t.#text", true),
    ]
    let one = try json("<r><i><link href='u'/><guid isPermaLink='false'>g</guid><t>x</t></i></r>".utf8, paths)
    #expect(one == ["r": ["i": [["link": [["@href": "u"]], "guid": "g", "t": ["#text": "x"]]]]])
    #expect(try json("<r><i/></r>".utf8, paths) == ["r": ["i": [["link": []]]]])
    #expect(try json("<r/>".utf8, paths) == ["r": ["i": []]])
  }

  @Test("where no path is known, what comes twice somewhere is a list, and what has attributes somewhere is an object")
  func guessed() throws {
    let text = "<r><i><c>1</c><c>2</c><g k='1'>a</g></i><i><c>3</c><g>b</g></i></r>"
    #expect(
      try json(text.utf8) == ["r": ["i": [["c": ["1", "2"], "g": ["@k": "1", "#text": "a"]], ["c": ["3"], "g": ["#text": "b"]]]]])
    #expect(try json("<rss><channel><item><t>1</t></item></channel></rss>".utf8) == ["rss": ["channel": ["item": [["t": "1"]]]]])
    #expect(try json("<feed><entry><id>1</id></entry></feed>".utf8) == ["feed": ["entry": [["id": "1"]]]])
  }

  @Test("every cut of a document is cut short, and never a shorter one")
  func cut() {
    let text = Array("<?xml version='1.0'?><r><i k='1'>one</i><i>two &amp; <![CDATA[x]]></i><!-- c --></r>".utf8)
    for count in 0..<text.count {
      #expect(error(text[..<count])?.kind == .truncated || error(text[..<count])?.kind == .malformed, "\(count)")
    }
    #expect(error(text[..<40])?.kind == .truncated)
    #expect(error("<a><b></a>".utf8)?.kind == .malformed)
    #expect(error("<a/><b/>".utf8)?.kind == .malformed)
  }

  @Test("entities of a document are refused, whatever they stand for, and nothing outside is opened")
  func entities() {
    let declared = "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'><!ENTITY h SYSTEM 'http://127.0.0.1:1/'><!ENTITY i 'in'>]>"
    for name in ["e", "h", "i"] {
      #expect(
        error("\(declared)<a>&\(name);</a>".utf8)?.message == "the XML uses the entity &\(name);, and only those of XML itself are read")
    }
    #expect(error("<a>&nbsp;</a>".utf8)?.kind == .malformed)
    var laughs = "<!DOCTYPE a [<!ENTITY l0 'ha'>"
    for level in 1..<30 { laughs += "<!ENTITY l\(level) '\(String(repeating: "&l\(level - 1);", count: 10))'>" }
    #expect(error("\(laughs)]><a>&l29;</a>".utf8)?.kind == .malformed)
    #expect(error("\(laughs)]><a k='&l29;'/>".utf8)?.kind == .malformed)
    #expect(error("<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'>%p;]><a>t</a>".utf8) == nil)
  }

  @Test("what is too deep, too large or no XML is malformed")
  func bounds() {
    #expect(error((String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000)).utf8)?.kind == .malformed)
    #expect(error(("<a>" + String(repeating: "text of a node ", count: 4 << 20) + "</a>").utf8)?.kind == .malformed)
    #expect(error("<a>b\0c</a>".utf8) != nil)
    #expect(error(Array("<a>".utf8) + [0xC3, 0x28] + Array("</a>".utf8))?.kind == .malformed)
    #expect(error("<!DOCTYPE html><html><body/></html>".utf8)?.message == "the answer is an HTML page, and XML is expected")
    #expect(
      error("<?xml version='1.0'?><html><body><p>Log in</p></body></html>".utf8)?.message
        == "the answer is an HTML page, and XML is expected")
    #expect(error("{\"a\": 1}".utf8)?.kind == .malformed)
  }

  @Test("encodings are those of libxml2")
  func encodings() throws {
    #expect(try json(Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>caf".utf8) + [0xE9] + Array("</a>".utf8)) == ["a": "café"])
    var utf16: [UInt8] = [0xFF, 0xFE]
    for unit in "<a>é</a>".utf16 { utf16 += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    #expect(try json(utf16) == ["a": "é"])
  }

  @Test("a missing library is named, with what to type")
  func library() {
    let missing = [XMLReader.missing("it is not installed"), YAMLDocument.missing("it is not installed")]
    #expect(missing[0].message == "XML is read by libxml2, and it is not installed" && missing[0].kind == .settings)
    #expect(missing[1].message == "YAML is read by libyaml, and it is not installed" && missing[1].remedy != nil)
  }
}
