// crosslane help: what --help shows, and the files that installations have: manual pages, completions.
#include "cli/help/completion.h"
#include "cli/help/man.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/error.h"
#include "files/write.h"
#include "isa/suggest.h"
#include <commit.h>
#include <filesystem>

namespace crosslane::cli {

namespace {

struct HelpOptions {
  std::string verb, man, completion;
};

llvm::Expected<Exit> write_manual(const Page& command, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return fail("{}: {}", folder, error.message());
  const Manual manual{CROSSLANE_COMMIT_DATE, CROSSLANE_VERSION};
  std::vector<const Page*> pages = {&command};
  for (const Page& verb : command.verbs)
    pages.push_back(&verb);
  for (const Page* page : pages)
    if (auto wrong = files::write(folder + "/" + manual_file(*page), manual_page(command, *page, manual)))
      return wrong;
  return Exit::ok;
}

llvm::Expected<Exit> run(const HelpOptions& options, CLI::App& root) {
  if (!options.verb.empty()) {
    std::vector<std::string> names;
    for (CLI::App* verb : root.get_subcommands([](const CLI::App*) { return true; })) {
      if (verb->get_name() == options.verb) {
        print(verb->help());
        return Exit::ok;
      }
      names.push_back(verb->get_name());
    }
    return fail("there is no verb '{}'{}", options.verb,
                isa::did_you_mean(options.verb, std::vector<std::string_view>(names.begin(), names.end())));
  }
  if (!options.man.empty())
    return write_manual(page_of(root), options.man);
  if (!options.completion.empty()) {
    const Page page = page_of(root);
    print(options.completion == "bash"  ? bash_completion(page)
          : options.completion == "zsh" ? zsh_completion(page)
                                        : fish_completion(page));
    return Exit::ok;
  }
  print(root.get_formatter()->make_help(&root, "", CLI::AppFormatMode::Normal)); // help() would be of this verb
  return Exit::ok;
}

} // namespace

Run add_help(CLI::App& app) {
  auto options = std::make_shared<HelpOptions>();
  app.add_option("VERB", options->verb, "the verb whose --help to show; none: the list of verbs")->type_name("");
  app.add_option("--man", options->man, "write the manual pages into this folder instead")->type_name("FOLDER");
  app.add_option("--completion", options->completion, "print the completion file of a shell instead: bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  app.footer("Packages install both. Without them: source <(crosslane help --completion bash)\n\n"
             "Exit status: 0 ok, 2 bad usage, or a folder that cannot be written.\n\n"
             "Examples:\n"
             "  crosslane help launch\n"
             "  crosslane help --man man1\n"
             "  crosslane help --completion fish");
  return [options, &app] { return run(*options, *app.get_parent()); };
}

} // namespace crosslane::cli
