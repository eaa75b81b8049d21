"""A small bar chart as SVG."""

COLOURS = {"first play": "#1f6feb", "replay": "#2da44e", "ffmpeg": "#bf8700", "GStreamer": "#cf222e"}
WIDTH, PANEL, BAR, TOP = 760, 30, 14, 56


def bars(charts, title):
    """`charts`: a list of (name, {count: {who: seconds}}); each becomes a panel of horizontal bars with one scale."""
    scale = max(value for _, rows in charts for row in rows.values() for value in row.values())
    pieces, y = [], TOP
    for name, rows in charts:
        pieces.append(text(20, y + 16, name, "bold"))
        y += PANEL
        for count, row in rows.items():
            pieces.append(text(20, y + BAR * len(row) / 2 + 5, f"{count} gift{'s' if count > 1 else ''}"))
            for who, seconds in row.items():
                length = max(1.0, seconds / scale * (WIDTH - 250))
                pieces.append(f'<rect x="90" y="{y}" width="{length:.1f}" height="{BAR - 2}" fill="{COLOURS[who]}"/>')
                pieces.append(text(96 + length, y + 11, f"{seconds:.2f}"))
                y += BAR
            y += 10
        y += 8
    legend = [
        f'<rect x="{20 + 150 * index}" y="34" width="12" height="12" fill="{colour}"/>'
        + text(38 + 150 * index, 45, ("giftd, " if who in ("first play", "replay") else "") + who)
        for index, (who, colour) in enumerate(COLOURS.items())
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" '
        'font-family="sans-serif" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{y}" fill="white"/>\n'
        + text(20, 22, title, "bold")
        + "\n".join(legend + pieces)
        + "\n</svg>\n"
    )


def text(x, y, words, weight="normal"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-weight="{weight}">{words}</text>'
