extension PageStyle {
    /// Of pages with sections, forms and passkeys.
    static let forms = """

        h2{margin:2.25rem 0 0;font-size:1.125rem;line-height:1.3}
        h2+ul{margin-top:.75rem}
        .card{padding:.875rem 1rem;border:1px solid var(--border);border-radius:.75rem}
        .card p{margin:.125rem 0}
        .card p.name{font-weight:600}
        form{margin:.5rem 0 0}
        button,input{font:inherit;color:inherit}
        button{cursor:pointer;background:transparent}
        button.button{width:100%}
        button.link{border:0;padding:0 .25rem;min-height:2.75rem;min-width:2.75rem;margin-inline-end:1rem;\
        text-decoration:underline}
        label{display:block;font-size:.9375rem;color:var(--quiet)}
        input{display:block;width:100%;min-height:2.75rem;margin:.25rem 0 .5rem;padding:.375rem .75rem;\
        border:1px solid var(--border);border-radius:.5rem;background:var(--back);color:var(--text)}
        .done{padding:.75rem 1rem;border:1px solid var(--border);border-inline-start:.375rem solid var(--accent);\
        border-radius:.5rem}
        [hidden]{display:none!important}
        """
}
