extension Int64 {
    /// The sum, or the nearest value there is: times come from files and clients.
    func saturating(adding other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other > 0 ? .max : .min
    }
}
