# An MCP server for tests: a line in, a line out. SEEN gets what it was asked, PID the process.
echo $$ >"$PID"
reply() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
text() { reply "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
while read -r line; do
    printf '%s\n' "$line" >>"$SEEN"
    id=${line##*\"id\":}
    id=${id%%[,\}]*}
    case $line in
    *'"method":"initialize"'*)
        reply '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"stub","version":"1"}}' ;;
    *'"method":"tools/list"'*)
        reply '"result":{"tools":[{"name":"judge","inputSchema":{"type":"object"}},{"name":"fails","inputSchema":{"type":"object"}}]}' ;;
    *'"name":"judge"'*) text '{\"decision\":\"deny\",\"reason\":\"the server says no\"}' ;;
    *'"name":"parts"'*)
        reply '"result":{"content":[{"type":"text","text":"one"},{"type":"image","data":"","mimeType":"image/png"},{"type":"text","text":"two"}]}' ;;
    *'"name":"fails"'*)
        reply '"result":{"isError":true,"content":[{"type":"text","text":"out of paper"}]}' ;;
    *'"name":"hangs"'*) sleep 300 ;;
    *'"name":"dies"'*) echo "no licence" >&2; exit 3 ;;
    *'"name":"floods"'*) while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done ;;
    *'"method":"notifications/'*) ;;
    *) reply '"error":{"code":-32602,"message":"what?"}' ;;
    esac
done
