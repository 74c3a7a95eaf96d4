// Owns the colours of source and disassembly: CodeMirror's parsers, and a tokenizer of our own for GCN assembly.
import { cpp } from "@codemirror/lang-cpp";
import { HighlightStyle, type StreamParser, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { fortran } from "@codemirror/legacy-modes/mode/fortran";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";

const gcn: StreamParser<{ mnemonic: boolean }> = {
  name: "gcn",
  startState: () => ({ mnemonic: false }),
  token(stream, state) {
    if (stream.sol()) state.mnemonic = true;
    if (stream.eatSpace()) return null;
    if (stream.match(/(;|\/\/|#).*/)) return "comment";
    if (state.mnemonic) {
      if (stream.match(/[\w.$@<>(),~* &:-]+:$/)) return "labelName";
      state.mnemonic = false;
      if (stream.match(/[sv]_cbranch\w*|s_branch\w*|s_\w*saveexec\w*|s_endpgm|s_barrier/)) return "controlKeyword";
      if (stream.match(/[a-z]\w*/i)) return "keyword";
    }
    if (stream.match(/-?0x[0-9a-f]+|-?\d+(\.\d+)?(e[+-]?\d+)?/i)) return "number";
    if (stream.match(/(vcc|exec|flat_scratch|xnack_mask|ttmp|tba|tma|m0|scc|src_\w+|[vsa]\d+|[vsa]\[)(_lo|_hi)?/)) return "variableName";
    if (stream.match(/[a-z_]\w*/i)) return "modifier";
    stream.next();
    return null;
  },
};

export const assembly: Extension = StreamLanguage.define(gcn);

export function languageOf(name: string | null | undefined): Extension {
  switch (name) {
    case "hip": case "opencl": case "c": case "c++": return cpp();
    case "fortran": return StreamLanguage.define(fortran);
    case "assembly": return assembly;
    default: return [];
  }
}

export const colours: Extension = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.modifier], color: "var(--syntax-keyword)" },
    { tag: tags.controlKeyword, color: "var(--syntax-keyword)", fontWeight: "600" },
    { tag: [tags.typeName, tags.standard(tags.name), tags.macroName], color: "var(--syntax-type)" },
    { tag: [tags.string, tags.character, tags.processingInstruction], color: "var(--syntax-string)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--syntax-number)" },
    { tag: tags.comment, color: "var(--syntax-comment)", fontStyle: "italic" },
    { tag: tags.labelName, color: "var(--syntax-type)", fontWeight: "600" },
  ]),
);
