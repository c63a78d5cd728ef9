import AggregatorCore
import Pictures

extension Option {
  static let save = Option("save", takes: .required(.folder), "save the pictures in DIR under readable names")
  static let images = Option("images", takes: .required(.folder), "also save the records' pictures in DIR")

  /// What every command understands that walks over records with pictures.
  static func pictures(of source: SourceDescriptor) -> [Option] { source.fields.hasPictures ? [.images] : [] }
}
