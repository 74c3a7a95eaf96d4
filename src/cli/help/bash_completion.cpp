// For bash alone; bash-completion's functions are used where they are loaded.
#include "cli/help/completion.h"
#include "cli/help/values.h"
#include <fmt/format.h>
#include <map>

namespace crosslane::cli {

namespace {

constexpr const char* functions = R"(
# $1: the word so far, $2: endings; none: files of any kind.
_crosslane_files()
{
    local file ending
    local -a found
    compopt -o filenames 2>/dev/null
    mapfile -t found < <(compgen -f -- "$1")
    for file in "${found[@]}"; do
        if [[ -z $2 || -d ${file/#\~/$HOME} ]]; then
            COMPREPLY+=("$file")
            continue
        fi
        for ending in $2; do
            [[ $file == *."$ending" ]] && COMPREPLY+=("$file")
        done
    done
    ((${#COMPREPLY[@]})) || COMPREPLY=("${found[@]}")
}

_crosslane_folders()
{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$1")
}

# $1: the word so far, $2: words to choose from, $3: not empty if several stand in a list with commas.
_crosslane_words()
{
    local before=
    [[ $3 && $1 == *,* ]] && before=${1%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$2" -- "${1#"$before"}")
}

_crosslane()
{
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local verb= word program= i
    local words list endings files folders
    COMPREPLY=()
    # bash takes '=' for a word of its own: --target=gfx900 is three.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $previous == = ]] && ((COMP_CWORD > 2)); then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; ++i)); do
        word=${COMP_WORDS[i]}
        if [[ $word == -- && $verb ]]; then
            program=$((i + 1))
            break
        elif [[ $word == -* ]]; then
            # Its value is no verb and no program.
            if _crosslane_value "$verb" "$word"; then
                [[ ${COMP_WORDS[i + 1]} == = ]] && ((++i))
                ((++i))
            fi
        elif [[ -z $verb ]]; then
            verb=$word
        elif [[ " $_crosslane_running " == *" $verb "* ]]; then
            program=$i
            break
        fi
    done
    if [[ $program && " $_crosslane_running " == *" $verb "* ]]; then
        _crosslane_program "$program" "$cur"
    elif [[ $previous == -* && $previous != -- ]] && _crosslane_value "$verb" "$previous"; then
        [[ $words ]] && _crosslane_words "$cur" "$words" "$list"
        [[ $files ]] && _crosslane_files "${cur##*=}" "$endings"
        [[ $folders ]] && _crosslane_folders "$cur"
    elif [[ $cur == -* ]]; then
        _crosslane_options "$verb"
        _crosslane_words "$cur" "$words"
    elif [[ " $_crosslane_running " == *" $verb "* ]]; then
        _crosslane_program "$COMP_CWORD" "$cur"
    elif _crosslane_argument "$verb"; then
        [[ $words ]] && _crosslane_words "$cur" "$words"
        [[ $files ]] && _crosslane_files "${cur##*@}" "$endings"
    fi
    return 0
}

# $1: where the program stands, $2: the word so far.
_crosslane_program()
{
    if ((COMP_CWORD == $1)); then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -c -- "$2"; compgen -d -- "$2")
        [[ $2 == */* ]] && mapfile -t COMPREPLY < <(compgen -f -- "$2")
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    else
        _crosslane_files "$2"
    fi
    return 0
}

complete -F _crosslane crosslane
)";

std::string assignments(const Values& values) {
  std::string text;
  if (!values.words.empty())
    text += fmt::format(" words='{}'", fmt::join(values.words, " "));
  if (values.list)
    text += " list=1";
  if (values.files)
    text += fmt::format(" files=1 endings='{}'", fmt::join(values.endings, " "));
  if (values.folders)
    text += " folders=1";
  return text.empty() ? " :" : text;
}

// Adds "verb:--option" to those that take the same values.
void collect(const Page& page, std::map<std::string, std::vector<std::string>>& cases) {
  for (const PageOption& option : page.options)
    if (!option.value.empty())
      for (const std::string& name : option.names)
        cases[assignments(values_of(option))].push_back(page.name + ":" + name);
}

std::string names_of(const Page& page) {
  std::string names;
  for (const PageOption& option : page.options)
    for (const std::string& name : option.names)
      names += (names.empty() ? "" : " ") + name;
  return names;
}

} // namespace

std::string bash_completion(const Page& page) {
  std::string out = "# Completion of crosslane for bash, made of its options: crosslane help --completion bash\n\n";
  std::string running, verbs;
  std::map<std::string, std::vector<std::string>> cases;
  collect(page, cases);
  for (const Page& verb : page.verbs) {
    verbs += (verbs.empty() ? "" : " ") + verb.name;
    if (verb.takes_program)
      running += (running.empty() ? "" : " ") + verb.name;
    collect(verb, cases);
  }
  out += fmt::format("_crosslane_running='{}'\n\n", running);
  out += "# $1: verb, $2: option. Sets what its value may be; fails if it takes none.\n_crosslane_value()\n{\n"
         "    words= list= endings= files= folders=\n    case $1:$2 in\n";
  for (const auto& [values, options] : cases)
    out += fmt::format("    {})\n       {} ;;\n", fmt::join(options, " | "), values);
  out += "    *) return 1 ;;\n    esac\n}\n\n# $1: verb\n_crosslane_options()\n{\n    case $1 in\n";
  for (const Page& verb : page.verbs)
    out += fmt::format("    {}) words='{}' ;;\n", verb.name, names_of(verb));
  out += fmt::format("    *) words='{}' ;;\n    esac\n}}\n\n", names_of(page));
  out += "# $1: verb. Sets what stands by position; fails if nothing is known of it.\n_crosslane_argument()\n{\n"
         "    words= endings= files=\n    case $1 in\n";
  for (const Page& verb : page.verbs)
    if (!verb.words.empty())
      out += fmt::format("    {}){} ;;\n", verb.name, assignments(values_of(verb.words[0])));
  out += fmt::format("    '') words='{}' ;;\n    *) return 1 ;;\n    esac\n}}\n", verbs);
  return out + functions;
}

} // namespace crosslane::cli
