#include "CTemplates.h"

// The templates are built and tested in Examples.

static const unsigned char package[] = {
#embed "../../../Examples/template/swift/Package.swift"
};

static const unsigned char readme[] = {
#embed "../../../Examples/template/swift/README.md"
};

static const unsigned char ignored[] = {
#embed "../../../Examples/template/swift/.gitignore"
};

static const unsigned char record[] = {
#embed "../../../Examples/template/swift/Sources/CoffeeBars/CoffeeBar.swift"
};

static const unsigned char service[] = {
#embed "../../../Examples/template/swift/Sources/CoffeeBars/CoffeeBarsService.swift"
};

static const unsigned char declaration[] = {
#embed "../../../Examples/template/swift/Sources/CoffeeBars/Source+CoffeeBars.swift"
};

static const unsigned char command[] = {
#embed "../../../Examples/template/swift/Sources/CoffeeBarsCommand/Main.swift"
};

static const unsigned char tests[] = {
#embed "../../../Examples/template/swift/Tests/CoffeeBarsTests/CoffeeBarsTests.swift"
};

static const unsigned char recording[] = {
#embed "../../../Examples/template/swift/Tests/CoffeeBarsTests/Fixtures/coffee-bars.har"
};

static const unsigned char program[] = {
#embed "../../../Examples/template/program/aggregator-source-coffee-bars"
};

static const unsigned char program_test[] = {
#embed "../../../Examples/template/program/test"
};

static const unsigned char program_readme[] = {
#embed "../../../Examples/template/program/README.md"
};

static const TemplateFile package_files[] = {
  { "Package.swift", package, sizeof package, false },
  { "README.md", readme, sizeof readme, false },
  { ".gitignore", ignored, sizeof ignored, false },
  { "Sources/CoffeeBars/CoffeeBar.swift", record, sizeof record, false },
  { "Sources/CoffeeBars/CoffeeBarsService.swift", service, sizeof service, false },
  { "Sources/CoffeeBars/Source+CoffeeBars.swift", declaration, sizeof declaration, false },
  { "Sources/CoffeeBarsCommand/Main.swift", command, sizeof command, false },
  { "Tests/CoffeeBarsTests/CoffeeBarsTests.swift", tests, sizeof tests, false },
  { "Tests/CoffeeBarsTests/Fixtures/coffee-bars.har", recording, sizeof recording, false },
};

static const TemplateFile program_files[] = {
  { "aggregator-source-coffee-bars", program, sizeof program, true },
  { "test", program_test, sizeof program_test, true },
  { "README.md", program_readme, sizeof program_readme, false },
};

SourceTemplate package_template(void) { return (SourceTemplate){ package_files, sizeof package_files / sizeof *package_files }; }

SourceTemplate program_template(void) { return (SourceTemplate){ program_files, sizeof program_files / sizeof *program_files }; }
