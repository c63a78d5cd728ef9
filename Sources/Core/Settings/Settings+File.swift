extension Settings {
  /// What a key file says of the declared settings.
  package struct FileValues {
    package struct Value {
      package let text: Secret
      package let path: String
      package let line: Int
      /// The files that any of it was written in, the line itself included.
      package let writers: Set<String>

      package init(text: Secret, path: String, line: Int, writers: Set<String>) {
        self.text = text
        self.path = path
        self.line = line
        self.writers = writers
      }
    }

    package var path: String?
    /// Whether the file was found in the working directory without being named.
    package var isFound = false
    package var values: [String: Value]
    package var warnings: [String]

    package init(path: String?, values: [String: Value] = [:], warnings: [String] = []) {
      self.path = path
      self.values = values
      self.warnings = warnings
    }

    package static var none: FileValues { FileValues(path: nil) }
  }
}
