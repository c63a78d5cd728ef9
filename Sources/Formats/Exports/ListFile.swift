package import AggregatorCore
import Asking
package import RecordFormats

/// A file that holds one list or several, and says of each where it comes from and whether it is whole.
package protocol ListFile: AnyObject {
  /// Returns a renderer that adds a list to the file.
  func renderer(_ columns: Columns, _ title: FileTitle) throws -> any Renderer
  /// Adds a list that could not be read.
  func add(missing name: String, because error: SourceError) throws
  /// Ends the file, after the last list.
  func end() throws
}

/// The formats of files that describe the lists in them.
package enum FileFormat: String, CaseIterable, Sendable {
  case parquet, sqlite, html, md

  /// True when the bytes of the file are not a text.
  package var isBinary: Bool { self == .parquet || self == .sqlite }

  /// True when a file has room for several lists.
  package var holdsSeveral: Bool { self != .parquet }

  /// Returns a renderer of the one list in a file.
  package func renderer(
    _ columns: Columns, _ title: FileTitle, folder: String, lacking lack: String? = nil,
    into sink: any Sink
  ) -> any Renderer {
    if self == .parquet { return ParquetRenderer(columns, FileFacts(columns, title), into: sink) }
    return OnlyListRenderer { [self] in
      guard let file = try file(folder: folder, lacking: lack, into: sink) else { return nil }
      return (file, try file.renderer(columns, title))
    }
  }

  /// Returns an empty file for several lists; nil if the format has room for one list only. `folder` is for temporary files; `lack`
  /// tells a person what a table for people leaves out.
  package func file(folder: String, lacking lack: String? = nil, into sink: any Sink) throws -> (any ListFile)? {
    switch self {
    case .parquet: nil
    case .sqlite: try TableListFile(in: folder, into: sink)
    case .html: PageFile(into: sink)
    case .md: MarkdownFile(into: sink, lacking: lack)
    }
  }
}

extension FileFormat {
  /// The maker of the renderer for the one list in a file, under that title. `lack` returns what tells a person what is left out.
  package func maker(
    _ title: FileTitle, folder: String, lacking lack: @escaping @Sendable (Columns) -> String?
  ) -> RendererMaker {
    RendererMaker { columns, _, sink in renderer(columns, title, folder: folder, lacking: lack(columns), into: sink) }
  }
}

extension Format {
  /// The format of a file that describes the lists in it; nil for other formats.
  package var ofFile: FileFormat? { FileFormat(rawValue: rawValue) }
}

/// Writes a file with one list, and ends the file after it.
private struct OnlyListRenderer: Renderer {
  /// Opens the file, at the first use, because a renderer is made before anything is known to be printed.
  let open: () throws -> (any ListFile, any Renderer)?
  private var opened: (file: any ListFile, list: any Renderer)?

  init(_ open: @escaping () throws -> (any ListFile, any Renderer)?) { self.open = open }

  var shortage: String? { opened?.list.shortage }

  private mutating func changeList(_ body: (inout any Renderer) throws -> Void) throws {
    if opened == nil { opened = try open() }
    guard var list = opened?.list, let file = opened?.file else { return }
    opened = nil
    defer { opened = (file, list) }
    try body(&list)
  }

  mutating func begin(_ origin: Origin?) throws { try changeList { try $0.begin(origin) } }
  mutating func print(_ records: [ShownRecord]) throws { try changeList { try $0.print(records) } }
  // These write nothing.
  mutating func mark(_ edits: [String: [FieldPath]]) { try? changeList { $0.mark(edits) } }
  mutating func remark(_ texts: [String]) { try? changeList { $0.remark(texts) } }

  mutating func end(_ summary: Summary?) throws {
    try changeList { try $0.end(summary) }
    try opened?.file.end()
  }
}
