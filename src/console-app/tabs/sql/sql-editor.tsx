import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { StandardSQL, sql } from "@codemirror/lang-sql";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import type { ViewAnswer } from "../../../console/sql-answers.js";

/** The nonce that the page's policy gives to styles; the editor makes some. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

/**
 * Replaces a selection by what is typed. Left to itself, Chromium keeps the selection's colour as an inline style, which the page's policy
 * refuses and logs.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { data, inputType } = event;
    if (inputType !== "insertText" || data === null || view.composing) return false;
    if (view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.update(view.state.replaceSelection(data), { userEvent: "input.type" }));
    return true;
  },
});

/** The editor of SQL. It completes views and their columns. Tab leaves it. */
export function SqlEditor(props: {
  readonly text: string;
  readonly views: readonly ViewAnswer[];
  /** Called with what is written; not with a text that is given. */
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
}) {
  const { text, views } = props;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const given = useRef(false);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const schema = Object.fromEntries(
      views.map(({ name, columns }) => [
        name,
        columns.map((column) => ({
          label: column.name,
          type: "property",
          detail: column.type.toLowerCase(),
          info: column.meaning,
        })),
      ]),
    );
    const run = () => {
      latest.current.onRun();
      return true;
    };
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "Query in SQL" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !given.current) latest.current.onChange(update.state.doc.toString());
          }),
          Prec.highest(keymap.of([{ key: "Mod-Enter", run }])),
          typeOverSelection,
          history(),
          closeBrackets(),
          bracketMatching(),
          autocompletion({ icons: false }),
          syntaxHighlighting(classHighlighter),
          sql({ dialect: StandardSQL, schema, upperCaseKeywords: true }),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        ],
      }),
    });
    editor.current = view;
    return () => view.destroy();
  }, [views]);
  useEffect(() => {
    const view = editor.current;
    if (view === undefined || view.state.doc.toString() === text) return;
    given.current = true;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    given.current = false;
  }, [text]);
  return <div class="editor" ref={place} />;
}
