# embed.cmake: writes the console's files as a C source: cmake -DFOLDER=… -DOUTPUT=… -P embed.cmake
# A file's path under /_thermodyn/ is its path in the folder; index.html is the folder itself. Its tag is its hash.
cmake_minimum_required(VERSION 3.25)
set(TYPE_html "text/html; charset=utf-8")
set(TYPE_css "text/css; charset=utf-8")
set(TYPE_js "text/javascript; charset=utf-8")
set(TYPE_svg "image/svg+xml")

file(GLOB_RECURSE names RELATIVE ${FOLDER} ${FOLDER}/*.html ${FOLDER}/*.css ${FOLDER}/*.js ${FOLDER}/*.svg)
list(SORT names)
set(arrays "")
set(rows "")
set(number 0)
foreach(name IN LISTS names)
  file(READ ${FOLDER}/${name} hex HEX)
  file(SHA256 ${FOLDER}/${name} hash)
  string(SUBSTRING ${hash} 0 16 tag)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  cmake_path(GET name EXTENSION LAST_ONLY extension)
  string(SUBSTRING ${extension} 1 -1 extension)
  if(NOT DEFINED TYPE_${extension})
    message(FATAL_ERROR "${name}: no content type is known for it")
  endif()
  string(REGEX REPLACE "^index\\.html$" "" path ${name})
  string(APPEND arrays "static const uint8_t file_${number}[] = {${bytes}};\n")
  string(APPEND rows "    {TD_LIT(\"/_thermodyn/${path}\"), \"${TYPE_${extension}}\", \"W/\\\"${tag}\\\"\", "
                     "{file_${number}, sizeof(file_${number})}},\n")
  math(EXPR number "${number} + 1")
endforeach()

file(WRITE ${OUTPUT} "/* Made by server/http/embed.cmake from the files of console/. */
#include \"http/assets.h\"

${arrays}
const td_http_asset td_http__assets[] = {
${rows}};
const size_t td_http__asset_count = ${number};
")
