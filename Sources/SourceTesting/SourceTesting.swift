// Authors import this one module: what records, replays and verifies is a module of its own only because the command links that part.
@_exported public import Inference
@_exported public import Manifests
@_exported public import SourceVerification
