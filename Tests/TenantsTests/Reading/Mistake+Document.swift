extension Mistake {
    /// What is wrong with the YAML or with the file as a whole.
    static let document: [Mistake] = [
        Mistake(
            "emptyFile",
            #""#,
            [
                #"1:1: the file is empty: it needs at least "version" and "tenants""#
            ]
        ),
        Mistake(
            "rootIsAList",
            #"- version: 1\#n"#,
            [
                #"1:1: the file must be a map, but is a list: write its keys on the lines below it, indented"#
            ]
        ),
        Mistake(
            "tabIndentation",
            #"version: 1\#ntenants:\#n\#tshop: {}\#n"#,
            [
                #"3:1: not valid YAML: while scanning for the next token that starts in line 3, found character that cannot start any token: check indentation (spaces only), brackets and quotes"#
            ]
        ),
        Mistake(
            "unclosedBracket",
            Sample.tenant(hosts: #"[shop.test"#),
            [
                #"5:12: not valid YAML: while parsing a flow sequence that starts in line 4, did not find expected ',' or ']': check indentation (spaces only), brackets and quotes"#
            ]
        ),
        Mistake(
            "undefinedAlias",
            Sample.tenant(hosts: #"*nowhere"#),
            [
                #"4:12: not valid YAML: found undefined alias: check indentation (spaces only), brackets and quotes"#
            ]
        ),
        Mistake(
            "secondDocument",
            Sample.tenant()
                + #"---\#nversion: 1\#n"#,
            [
                #"8:1: not valid YAML: expected a single document in the stream that starts in line 1, but found another document: check indentation (spaces only), brackets and quotes"#
            ]
        ),
        Mistake(
            "controlCharacter",
            #"version: 1\#ntenants: \#u{1}\#n"#,
            [
                #"2:10: a control character, which YAML does not allow: remove it or escape it"#
            ]
        ),
        Mistake(
            "mergeKey",
            Sample.tenant(more: #"<<: { mode: enforce }"#),
            [
                #"8:5: merge keys ("<<") are not read: write the keys out, or alias a whole value"#
            ]
        ),
        Mistake(
            "keyThatIsNoText",
            Sample.tenant(more: #"? [a]\#n: b"#),
            [
                #"8:7: a key must be text: put a text in quotes that begins with "{" or "[""#
            ]
        ),
        Mistake(
            "duplicateKey",
            Sample.tenant(more: #"mode: enforce\#nmode: observe"#),
            [
                #"9:5: "mode" is given twice, first in line 8: keep one of them"#
            ]
        ),
        Mistake(
            "duplicateTenant",
            Sample.tenant()
                + #"  shop: { hosts: [other.test] }\#n"#,
            [
                #"8:3: "shop" is given twice, first in line 3: keep one of them"#
            ]
        ),
        Mistake(
            "duplicateKeyAndAnotherMistake",
            Sample.tenant(more: #""mode": enforce\#n"mode": observe\#nhots: []"#),
            [
                #"9:5: "mode" is given twice, first in line 8: keep one of them"#,
                #"10:5: unknown key "hots": did you mean "hosts"?"#,
            ]
        ),
    ]
}
