#include "CPages.h"

static const unsigned char serve_style[] = {
#embed "shared.css"
  ,
#embed "serve.css"
};

static const unsigned char serve_script[] = {
#embed "serve.js"
};

static const unsigned char file_style[] = {
#embed "shared.css"
  ,
#embed "file.css"
};

static const unsigned char file_script[] = {
#embed "file.js"
};

static const unsigned char icon[] = {
#embed "icon.svg"
};

PageText page_style_of_serve(void) { return (PageText){ serve_style, sizeof serve_style }; }

PageText page_script_of_serve(void) { return (PageText){ serve_script, sizeof serve_script }; }

PageText page_style_of_file(void) { return (PageText){ file_style, sizeof file_style }; }

PageText page_script_of_file(void) { return (PageText){ file_script, sizeof file_script }; }

PageText page_icon(void) { return (PageText){ icon, sizeof icon }; }
