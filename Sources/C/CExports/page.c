#include "CExports.h"

static const unsigned char style[] = {
#embed "page.css"
};

static const unsigned char script[] = {
#embed "page.js"
};

CompiledText exports_page_style(void) { return (CompiledText){ style, sizeof style }; }

CompiledText exports_page_script(void) { return (CompiledText){ script, sizeof script }; }
