import AggregatorCore
import Platform

/// Files that a test lists, so that what a system might do can be told without asking one.
struct ListedFiles: FileReading, ExpressibleByDictionaryLiteral {
  var files: [String: Result<FileContents, FileProblem>]

  init(dictionaryLiteral elements: (String, String)...) {
    files = Dictionary(uniqueKeysWithValues: elements.map { ($0, .success(FileContents(Array($1.utf8)))) })
  }

  subscript(path: String) -> Result<FileContents, FileProblem>? {
    get { files[path] }
    set { files[path] = newValue }
  }

  func read(_ path: String, upTo limit: Int) throws(FileProblem) -> FileContents {
    guard let file = files[path] else { throw .missing }
    return try file.get()
  }
}
