/** A text; a link where it is an address of the web and nothing else. Other schemes, such as `javascript:`, stay text. */
export function SafeLink({ text }: { readonly text: string }) {
  if (!/^https?:\/\/[^\s]+$/i.test(text) || !URL.canParse(text)) return <>{text}</>;
  return (
    <a href={new URL(text).href} target="_blank" rel="noopener noreferrer nofollow">
      {text}
    </a>
  );
}
