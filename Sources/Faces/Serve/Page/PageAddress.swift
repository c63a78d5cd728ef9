import AggregatorCore
import Asking
import RecordFormats

/// The address of a page: its path, and parameters in the order in which they are written. Every view is one, so links change it.
struct PageAddress: Sendable {
  private let path: String
  private var parameters: [(name: String, value: String)] = []

  /// The address with these names in its path.
  init(_ segments: String...) { path = "/" + segments.map(PercentEncoding.query).joined(separator: "/") }

  init(path: String, _ parameters: [(name: String, value: String)] = []) { (self.path, self.parameters) = (path, parameters) }

  /// The address of a record, or of what can be done with it.
  static func record(_ id: String, of source: String, _ verb: String? = nil) -> PageAddress {
    PageAddress(path: PageAddress(source, "records", id).path + (verb.map { "/\($0)" } ?? ""))
  }

  /// The address of a job, or of what can be done with it.
  static func job(_ number: Int, _ verb: String? = nil) -> PageAddress {
    PageAddress(path: "/-/jobs/\(number)" + (verb.map { "/\($0)" } ?? ""))
  }

  /// The same address, which leads back to a list afterwards.
  func returning(to list: PageAddress) -> PageAddress {
    let query = list.without(FaceParameter.undo.name).query
    return with(FaceParameter.back.name, query.isEmpty ? nil : query)
  }

  /// The same path with the parameters of a query.
  func with(query: some StringProtocol) -> PageAddress {
    copy(of: self) { address in
      address.parameters = query.split(separator: "&").map { item in
        let name = item.prefix { $0 != "=" }
        return (PercentEncoding.decode(name), PercentEncoding.decode(item[name.endIndex...].dropFirst()))
      }
    }
  }

  /// The same address with this value for a parameter, in place of those that it has; without the parameter if the value is nil.
  func with(_ name: String, _ value: String?) -> PageAddress {
    copy(of: without(name)) { if let value { $0.parameters.append((name, value)) } }
  }

  func without(_ names: String...) -> PageAddress {
    copy(of: self) { address in address.parameters.removeAll { names.contains($0.name) } }
  }

  /// The same address with these values of a parameter added, or without them if it has all of them.
  func toggling(_ name: String, _ values: [String]) -> PageAddress {
    let isOn = has(name, values)
    return copy(of: self) { address in
      address.parameters.removeAll { $0.name == name && values.contains($0.value) }
      if !isOn { address.parameters += values.map { (name, $0) } }
    }
  }

  func has(_ name: String, _ values: [String]) -> Bool { values.allSatisfy(self.values(of: name).contains) }

  func values(of name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

  /// The parameters as they are written, without the question mark.
  var query: String {
    parameters.map { name, value in
      PercentEncoding.query(name) + (value.isEmpty ? "" : "=" + PercentEncoding.query(value))
    }.joined(separator: "&")
  }

  /// False if a browser would be led elsewhere: it takes `.` and `..` in a path for steps, and no address holds a zero byte. The id of a
  /// record may be any text.
  var canBeFollowed: Bool { path.split(separator: "/").allSatisfy { $0 != "." && $0 != ".." } && !path.contains("%00") }

  var text: String { path + (parameters.isEmpty ? "" : "?" + query) }

  /// The parameters for a form that sets some of them itself.
  var hiddenFields: Markup {
    Markup(parameters.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" })
  }

  /// The same view for programs: the address under `/api` with the parameters that it has there too. `verb` is a further name in its path.
  func data(_ verb: String? = nil, as form: Form) -> PageAddress {
    let names = [FaceParameter.view, .facets, .undo].map(\.name)
    var data = self
    data.parameters.removeAll { names.contains($0.name) }
    data = PageAddress(path: "/api" + path + (verb.map { "/\($0)" } ?? ""), data.parameters)
    return data.with(FaceParameter.format.name, form.rawValue)
  }
}

extension Reply {
  /// Leads a browser to another page.
  init(leadingTo address: PageAddress) { self.init(303, headers: [("Location", address.text)]) }
}

extension Markup {
  /// A link; the text alone if the address cannot be followed.
  static func link(_ text: String, to address: PageAddress, isCurrent: Bool = false) -> Markup {
    guard address.canBeFollowed else { return "\(text)" }
    let current: Markup = isCurrent ? " aria-current=\"true\"" : ""
    return "<a href=\"\(address.text)\"\(current)>\(text)</a>"
  }

  /// A button that sends a request which changes something; empty if its address cannot be followed. `style` is a class of the form.
  static func button(_ text: String, posting address: PageAddress, style: String = "", about label: String? = nil) -> Markup {
    guard address.canBeFollowed else { return "" }
    let name: Markup = label.map { " aria-label=\"\($0)\"" } ?? ""
    return "<form method=\"post\" action=\"\(address.text)\" class=\"\(style)\"><button\(name)>\(text)</button></form>"
  }
}
