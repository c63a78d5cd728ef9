extension Settings {
  /// Refuses to send a key where a file says that merely lay in the working directory: a cloned repository could have it sent anywhere.
  ///
  /// Where the very file that gives the address gives the key too, it is that file's own. What such a file includes is another one.
  func refuseStrangers(among settings: [Setting]) throws(SourceError) {
    guard isKeyFileFound else { return }
    for address in settings where address.kind == .address {
      guard let place = self[address], case .file = place.origin else { continue }
      for key in settings where key.isSecret {
        guard let secret = self[key] else { continue }
        if place.writers.count == 1, secret.writers == place.writers { continue }
        throw SourceError(
          .settings,
          "the key was not sent: \(address.name) comes from a key file found in the working directory (\(place.origin)), but"
            + " \(key.name) does not (\(secret.origin))",
          remedy: .trustKeyFile(keyFile ?? ""))
      }
    }
  }
}
