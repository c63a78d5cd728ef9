#include "ServeBundle.h"

static const unsigned char style[] = {
#embed "page.css"
};

static const unsigned char script[] = {
#embed "page.js"
};

static const unsigned char icon[] = {
#embed "icon.svg"
};

ServedFile serve_page_style(void) { return (ServedFile){ style, sizeof style }; }

ServedFile serve_page_script(void) { return (ServedFile){ script, sizeof script }; }

ServedFile serve_page_icon(void) { return (ServedFile){ icon, sizeof icon }; }
